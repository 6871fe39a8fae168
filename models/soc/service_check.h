/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A check of firmware that serves faults in rings and moves pages by the copy engines. Against the rules are
 * - a replay of an address space again, when since its latest replay none of its accesses has faulted,
 * nothing was taken from the rings of its instance, and no copy or zeroing of the GPU's memory was queued:
 * accesses are replayed for nothing;
 * - an entry of a ring that was taken before its valid bit came, though that did not take long: GET has
 *   passed it by then, or passes it while the bit is set;
 * - a launch that is stopped while its accesses wait for a replay, or for room in a full ring, if firmware
 *   has neither replayed nor taken anything for a long time;
 * - a copy that is queued while the other engine's queue has one that uses the same memory, unless both only
 *   read it: nothing decides which is first;
 * - the use of a page that a copy in the queue is to write; the owner asks for it.
 */
#ifndef MP_SOC_SERVICE_CHECK_H
#define MP_SOC_SERVICE_CHECK_H

#include "engine/error.h"
#include "soc/ce.h"
#include "soc/mgmt.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    MP_SERVICE_LATE_NS = 1000000,  /* after which an answer is missing */
    MP_SERVICE_PATIENCE_NS = 10000 /* a valid bit that comes by then is awaited */
};

struct mp_service_check { /* all zero but self and found */
    void *self;
    void (*found)(void *self, const char *why); /* called in the command that is against the rules */
    struct {
        uint64_t moves, since_ns; /* of both rings' GET; when that of faults moved, a space was replayed, or
                                     the ring got its first entry */
    } ring[MP_MGMT_INSTANCES];
    struct {
        uint64_t faults, replayed_faults, replayed_moves,
            replayed_copies; /* faults in a ring, and at its latest replay: these, moves and copies */
        bool replayed;
    } space[MP_MGMT_SPACES];
    struct mp_ce_descriptor copy[MP_CE_ENGINES][MP_CE_MOST]; /* by the indices of PUT */
    uint32_t copies[MP_CE_ENGINES];                          /* PUT, as far as it was seen */
    struct {
        uint64_t address, after_ns; /* 0: none */
    } late;            /* the latest valid bit that came in time before GET has passed its entry */
    uint64_t arriving; /* descriptors of MP_CE_IN that were seen */
};

/* Of the management block: an entry is in the ring; GET has moved; that of notices has; a space will be
 * replayed; the launch that runs in a space will be stopped. */
void mp_service_check_faulted(struct mp_service_check *c, const struct mp_mgmt *m, unsigned asid);
void mp_service_check_taken(struct mp_service_check *c, const struct mp_mgmt *m, unsigned instance);
void mp_service_check_noticed(struct mp_service_check *c, const struct mp_mgmt *m, unsigned instance);
void mp_service_check_replay(struct mp_service_check *c, const struct mp_mgmt *m, unsigned asid,
                             bool give_up);
void mp_service_check_stop(struct mp_service_check *c, const struct mp_mgmt *m, unsigned asid);

/* The last word of an entry, at this address, comes so long after the others. */
void mp_service_check_valid(struct mp_service_check *c, const struct mp_mgmt_entry *e, uint64_t address,
                            uint64_t after_ns);

/* The index in the engine's ring of the next descriptor that the check has not seen. Returns false if it has
 * seen all. */
bool mp_service_check_unseen(struct mp_service_check *c, const struct mp_ce *ce, unsigned engine,
                             uint32_t *index);
/* That descriptor. */
void mp_service_check_copy(struct mp_service_check *c, const struct mp_ce *ce, unsigned engine,
                           const struct mp_ce_descriptor *d);
/* Whether a copy that has not ended is to write these bytes. */
bool mp_service_check_arrives(const struct mp_service_check *c, const struct mp_ce *ce, uint64_t at,
                              uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
