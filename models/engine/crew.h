/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that share the elements of a range among them, and wait for each other at its end. */
#ifndef MP_ENGINE_CREW_H
#define MP_ENGINE_CREW_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mp_crew;

typedef void mp_crew_fn(void *object, uint32_t number, uint64_t argument);

/* The caller counts as one of the threads. NULL: they cannot be started. */
struct mp_crew *mp_crew_new(unsigned threads);
void mp_crew_delete(struct mp_crew *crew); /* may be NULL */

#define MP_CREW_ENOUGH 0.75 /* processors for each thread, below which threads do not pay */

/* How many times the work of one thread the crew does on this host at this moment: near its number of
 * threads, or less, where processors share a core or have other work. Takes some ten milliseconds. From then
 * on, threads for which there is no core sleep while they wait. */
double mp_crew_gain(struct mp_crew *crew);

/* Calls fn(object, i, argument) for each i from `first` to before `last`, each in one thread, and returns
 * when all have returned. */
void mp_crew_run(struct mp_crew *crew, mp_crew_fn *fn, void *object, uint32_t first, uint32_t last,
                 uint64_t argument);

#ifdef __cplusplus
}
#endif
#endif
