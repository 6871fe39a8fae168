/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "engine/memory.h"

/* A thread looks this often for the next round before it sleeps, if there is a processor for each thread. A
 * window of a large machine takes some ten microseconds, and a thread that sleeps needs about as long to
 * wake. */
enum { LOOKS = 4000 };

struct mp_crew {
    unsigned threads; /* without the caller's */
    atomic_uint looks;
    pthread_t *thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    mp_crew_fn *fn;
    void *object;
    uint32_t last;
    uint64_t argument;
    atomic_bool ends;
    _Alignas(64) atomic_uint round;
    atomic_uint sleepers;
    _Alignas(64) atomic_uint next; /* element */
    _Alignas(64) atomic_uint busy; /* threads that have not finished the round */
};

static void pause_briefly(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

static void work(struct mp_crew *c)
{
    for (uint32_t i; (i = atomic_fetch_add_explicit(&c->next, 1, memory_order_relaxed)) < c->last;)
        c->fn(c->object, i, c->argument);
}

static void sleep_until(struct mp_crew *c, unsigned seen)
{
    pthread_mutex_lock(&c->mutex);
    atomic_fetch_add(&c->sleepers, 1);
    while (atomic_load(&c->round) == seen)
        pthread_cond_wait(&c->wake, &c->mutex);
    atomic_fetch_sub(&c->sleepers, 1);
    pthread_mutex_unlock(&c->mutex);
}

static void *run_thread(void *crew)
{
    struct mp_crew *c = crew;
    for (unsigned seen = 0;; seen++) {
        for (unsigned i = 0; i < atomic_load_explicit(&c->looks, memory_order_relaxed) &&
                             atomic_load_explicit(&c->round, memory_order_acquire) == seen;
             i++)
            pause_briefly();
        if (atomic_load(&c->round) == seen)
            sleep_until(c, seen);
        if (atomic_load(&c->ends))
            return NULL;
        work(c);
        atomic_fetch_sub_explicit(&c->busy, 1, memory_order_release);
    }
}

static void start_round(struct mp_crew *c)
{
    atomic_store(&c->busy, c->threads);
    atomic_fetch_add(&c->round, 1); /* sequentially consistent, as is a sleeper's look after it has said so */
    if (!atomic_load(&c->sleepers))
        return;
    pthread_mutex_lock(&c->mutex);
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->mutex);
}

void mp_crew_run(struct mp_crew *c, mp_crew_fn *fn, void *object, uint32_t first, uint32_t last,
                 uint64_t argument)
{
    c->fn = fn;
    c->object = object;
    c->last = last;
    c->argument = argument;
    atomic_store_explicit(&c->next, first, memory_order_relaxed);
    start_round(c);
    work(c);
    for (unsigned looks = 0; atomic_load_explicit(&c->busy, memory_order_acquire); looks++)
        if (looks < atomic_load_explicit(&c->looks, memory_order_relaxed))
            pause_briefly();
        else
            sched_yield();
}

/* --- what threads gain on this host --------------------------------------------------------------- */

enum { MEASUREMENTS = 8, TURNS = 200000 };

static uint64_t host_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* As dense as the simulation's instructions: two threads of one core take turns at them. */
static void turn(void *object, uint32_t number, uint64_t argument)
{
    uint64_t a = number, b = argument, c = 1, d = 2;
    (void)object;
    for (unsigned i = 0; i < TURNS; i++) {
        a += b ^ i;
        b += c ^ i;
        c += d ^ i;
        d += a ^ i;
        __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d)); /* or the compiler leaves it out */
    }
}

double mp_crew_gain(struct mp_crew *c)
{
    uint64_t alone = UINT64_MAX, together = UINT64_MAX;
    for (unsigned i = 0; i < MEASUREMENTS; i++) {
        uint64_t start = host_ns();
        turn(NULL, 0, 0);
        uint64_t middle = host_ns();
        mp_crew_run(c, turn, NULL, 0, c->threads + 1, 0);
        uint64_t end = host_ns();
        alone = middle - start < alone ? middle - start : alone;
        together = end - middle < together ? end - middle : together;
    }
    double gain = (double)(c->threads + 1) * (double)alone / (double)together;
    if (gain < MP_CREW_ENOUGH * (c->threads + 1))
        atomic_store_explicit(&c->looks, 0, memory_order_relaxed);
    return gain;
}

struct mp_crew *mp_crew_new(unsigned threads)
{
    struct mp_crew *c = mp_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (struct mp_crew){.thread = calloc(threads, sizeof *c->thread),
                          .looks = sysconf(_SC_NPROCESSORS_ONLN) < (long)threads ? 0 : LOOKS};
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->wake, NULL);
    while (c->thread && c->threads + 1 < threads &&
           !pthread_create(&c->thread[c->threads], NULL, run_thread, c))
        c->threads++;
    if (c->thread && c->threads + 1 == threads)
        return c;
    mp_crew_delete(c);
    return NULL;
}

void mp_crew_delete(struct mp_crew *c)
{
    if (!c)
        return;
    atomic_store(&c->ends, true);
    start_round(c);
    for (unsigned i = 0; i < c->threads; i++)
        pthread_join(c->thread[i], NULL);
    pthread_cond_destroy(&c->wake);
    pthread_mutex_destroy(&c->mutex);
    free(c->thread);
    free(c);
}
