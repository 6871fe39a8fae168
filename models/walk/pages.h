/* SPDX-License-Identifier: Apache-2.0 */
/* Walks by the size of the page that answered them, counted where pages have several sizes. */
#ifndef MP_WALK_PAGES_H
#define MP_WALK_PAGES_H

#include "engine/design.h"
#include "engine/link.h"

struct mp_walk_pages { /* of a tenant */
    uint64_t of_4k, of_64k, of_2m, of_others;
};

extern const struct mp_design mp_walk_pages; /* its counters, as those of a design in use */

void mp_walk_pages_count(struct mp_walk_pages *p, const struct mp_req *answered);

#endif
