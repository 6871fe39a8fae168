/* SPDX-License-Identifier: Apache-2.0 */
/* A limited number of counters of accesses by granule of an address space. They have 16 bits and saturate. */
#ifndef MP_SOC_ACCESS_COUNTERS_H
#define MP_SOC_ACCESS_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mp_access_counter {
    uint64_t key; /* of granule and address space; 0: it is free */
    uint32_t met; /* which 64 KB of the aligned 2 MB were accessed, those of the granule */
    uint16_t count;
    bool noticed; /* the owner's */
};

struct mp_access_counters {
    struct mp_access_counter *at; /* a hash table with linear probing, at most half full */
    uint32_t slots, used;
};

/* counters: a power of two. Returns -1 if memory runs out. */
int mp_access_counters_init(struct mp_access_counters *c, uint32_t counters);
void mp_access_counters_free(struct mp_access_counters *c);

/* Counts an access. granule_bytes: 65536 or 2097152, the same for all accesses of the address space (at most
 * 8) until all its counters were cleared. Returns the granule's counter, until the next call, or NULL if none
 * is free. */
struct mp_access_counter *mp_access_count(struct mp_access_counters *c, unsigned asid, uint64_t va,
                                          uint64_t granule_bytes);
/* Frees the counter of the granule that has this address, if it has one. */
void mp_access_clear(struct mp_access_counters *c, unsigned asid, uint64_t va, uint64_t granule_bytes);
/* Frees those of an address space. */
void mp_access_clear_all(struct mp_access_counters *c, unsigned asid);

#ifdef __cplusplus
}
#endif
#endif
