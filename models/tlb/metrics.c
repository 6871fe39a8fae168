/* SPDX-License-Identifier: Apache-2.0 */
/* What TLBs count. */
#include "tlb/tlb.h"

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_tlb_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(lookups, "requests", "page-level translation requests that came"),
    COUNTER(hits, "requests", "answered from the array, or from the prefetch buffer"),
    COUNTER(misses, "requests", "not in the array, merged ones included"),
    COUNTER(mshr_merges, "requests", "misses that joined one in flight"),
    COUNTER(stalls, "requests", "held at the port until an MSHR, or room on one, is free"),
    COUNTER(fills, "translations", "written into the array or the bypass cache"),
    COUNTER(bypasses, "translations",
            "of them written into a bypass cache, since no warp that waited might fill"),
    COUNTER(evictions, "entries", "whole entries that left, counted for the tenant that had them first"),
    COUNTER(translations_lost, "translations",
            "that had to leave for another, counted for the tenant that owned them"),
    COUNTER(miss_cycles, "cycles", "from a miss to its fill, summed over MSHRs"),
    {"held", "translations", "valid in the array now", MP_GAUGE, offsetof(struct mp_tlb_stats, held), 0},
    {"sub_entries_at_eviction", "sub-entries", "valid sub-entries of an evicted entry", MP_HISTOGRAM_LINEAR,
     offsetof(struct mp_tlb_stats, sub_entries_at_eviction), MP_MAX_SUB_ENTRIES + 1},
    {"reuse_distance", "translations", "different translations between two requests for the same one",
     MP_HISTOGRAM_LOG2, offsetof(struct mp_tlb_stats, reuse_distance), MP_LOG2_BINS},
};

const struct mp_metric_table mp_tlb_metrics = {"tlb", sizeof(struct mp_tlb_stats),
                                               sizeof metrics / sizeof *metrics, metrics};

#define HINTS(field, unit, text) MP_COUNTER_OF(struct mp_tlb_hint_stats, field, unit, text)

static const struct mp_metric hint_metrics[] = {
    HINTS(hits, "hints", "answered from the array, or from the prefetch buffer"),
    HINTS(passed, "hints", "sent on to the next level"),
    HINTS(dropped, "hints",
          "that got nothing: the page was being fetched, no MSHR was free, or a request was held"),
};

const struct mp_metric_table mp_tlb_hint_metrics = {"hints", sizeof(struct mp_tlb_hint_stats),
                                                    sizeof hint_metrics / sizeof *hint_metrics, hint_metrics};

#define LINES(field, text) MP_COUNTER_OF(struct mp_tlb_line_stats, field, "lines", text)

static const struct mp_metric line_metrics[] = {
    LINES(lookups, "of requests that were looked up"),
    LINES(misses, "of requests that missed, those that join a miss included"),
};

const struct mp_metric_table mp_tlb_line_metrics = {"lines", sizeof(struct mp_tlb_line_stats),
                                                    sizeof line_metrics / sizeof *line_metrics, line_metrics};
