/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The baseline's array (subentry.c) with first-in, first-out replacement: a hit is no use of an entry, so the
 * entry that was stored or extended first is evicted first.
 */
#include "tlb/policy/subentry.h"

static struct mp_tlb_hit lookup(void *state, uint16_t asid, uint64_t vpn)
{
    return mp_subentry_peek(state, asid, vpn);
}

const struct mp_tlb_policy mp_tlb_fifo = {
    .design = {.name = "fifo", .title = "set-associative with sub-entries, first in, first out"},
    .misses_repeat = true,
    .bytes = mp_subentry_bytes,
    .init = mp_subentry_init,
    .lookup = lookup,
    .peek = mp_subentry_peek,
    .insert = mp_subentry_insert,
    .invalidate_page = mp_subentry_invalidate_page,
    .invalidate_asid = mp_subentry_invalidate_asid,
    .invalidate_all = mp_subentry_invalidate_all,
    .occupancy = mp_subentry_occupancy,
    .ways = mp_subentry_ways,
    .each_entry = mp_subentry_each_entry,
    .rank = mp_subentry_rank,
};
