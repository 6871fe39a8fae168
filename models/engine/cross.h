/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A link between two groups (groups.h). The initiator gives it requests as soon as it knows that it will send
 * them, with the cycles until then (mp_out_send_in). Requests that find the target's port held wait on the
 * target's side, except hints, which get nothing. An answer reaches the initiator in its own group, in the
 * cycle that the target has set.
 */
#ifndef MP_ENGINE_CROSS_H
#define MP_ENGINE_CROSS_H

#include <stdalign.h>

#include "engine/groups.h"
#include "engine/link.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_cross {
    /* A request touches the first line of the host's cache, an answer the second. */
    alignas(64) struct mp_sender down;
    const struct mp_wheel *sends; /* of the initiator's group */
    struct mp_target target;
    struct mp_sender up;
    const struct mp_wheel *answers; /* of the target's group */
    struct mp_initiator initiator;  /* as the target would call it on a link inside a group */
    struct mp_req_queue waiting;    /* on the target's side */
    struct mp_req_pool early;       /* answers of walks that read on: the requests stay below */
    const struct mp_groups *groups;
};

/* number: of the link, unique in the machine. */
void mp_cross_init(struct mp_cross *c, const struct mp_groups *groups, uint32_t from, uint32_t to,
                   uint32_t number, struct mp_initiator initiator);
void mp_cross_free(struct mp_cross *c);

/* The ends: what the target calls, what the initiator is joined to, and where the link leads. */
struct mp_initiator mp_cross_initiator(struct mp_cross *c);
struct mp_target mp_cross_target(struct mp_cross *c);
void mp_cross_join(struct mp_cross *c, struct mp_target target);

#ifdef __cplusplus
}
#endif
#endif
