/* SPDX-License-Identifier: Apache-2.0 */
/* STAR: Sub-Entry Sharing-Aware TLB for Multi-Instance GPU. Numbers as printed; where the paper only draws a
 * bar, the point has no value. */
#include "cli/paper.h"

#include <stddef.h>

const char *const paper_star_apps[] = {"ATAX", "BICG", "FFT", "BFS",  "ST", "FIR",
                                       "PR",   "MT",   "NW",  "CONV", NULL};

const char *const paper_star_category[11] = {"HHH", "HHM", "HMM", "HML", "HML", "HLL",
                                             "MMM", "MML", "MML", "MLL", "LLL"};

/* The paper does not say whether it counts instructions of warps or of threads, so both are measured. */
#define TABLE2(app, count, mpki, class)                                                                      \
    {"star", "table2", app, "instructions", count, true, "instructions", "Table II"},                        \
        {"star", "table2", app, "warp_instructions", 0, false, "instructions", "measured only"},             \
        {"star", "table2", app, "thread_instructions", 0, false, "instructions", "measured only"},           \
    {                                                                                                        \
        "star", "table2", app, "l2_tlb_mpki", mpki, true, "misses per 1000 instructions",                    \
            "Table II, class " class                                                                         \
    }

#define DRAWN(workload, app)                                                                                 \
    {                                                                                                        \
        "star", "fig3", workload, app, 0, false, "of running alone", "drawn only"                            \
    }
#define TEXT(workload, app, value)                                                                           \
    {                                                                                                        \
        "star", "fig3", workload, app, value, true, "of running alone", "section IV-A"                       \
    }
#define LIKE_ALONE(workload, app)                                                                            \
    {                                                                                                        \
        "star", "fig3", workload, app, 0, false, "of running alone", "section IV-A: negligible overhead"     \
    }

const struct mp_db_point paper_star[] = {
    TABLE2("ATAX", 328441844, 204.7, "H"),
    TABLE2("BICG", 321758896, 208.9, "H"),
    TABLE2("FFT", 409534464, 0.5, "L"),
    TABLE2("BFS", 94727760, 5.6, "M"),
    TABLE2("ST", 59289600, 21.9, "M"),
    TABLE2("FIR", 192675840, 0.3, "L"),
    TABLE2("PR", 316669952, 0.44, "L"),
    TABLE2("MT", 9564256, 205.0, "H"),
    TABLE2("NW", 87909120, 38.4, "M"),
    TABLE2("CONV", 2629570744, 1.9, "M"),
    DRAWN("W1", "MT"),
    DRAWN("W1", "ATAX"),
    DRAWN("W1", "BICG"),
    TEXT("W1", "mean", 0.52),
    DRAWN("W2", "MT"),
    DRAWN("W2", "ATAX"),
    DRAWN("W2", "ST"),
    DRAWN("W2", "mean"),
    DRAWN("W3", "MT"),
    DRAWN("W3", "NW"),
    DRAWN("W3", "ST"),
    DRAWN("W3", "mean"),
    DRAWN("W4", "MT_s"),
    TEXT("W4", "ST_s", 0.39),
    DRAWN("W4", "FIR"),
    DRAWN("W4", "mean"),
    DRAWN("W5", "MT_s"),
    DRAWN("W5", "BFS"),
    DRAWN("W5", "PR"),
    DRAWN("W5", "mean"),
    DRAWN("W6", "MT_s"),
    DRAWN("W6", "FFT"),
    DRAWN("W6", "FIR"),
    DRAWN("W6", "mean"),
    DRAWN("W7", "NW"),
    DRAWN("W7", "CONV"),
    DRAWN("W7", "ST_s"),
    DRAWN("W7", "mean"),
    DRAWN("W8", "ST_s"),
    TEXT("W8", "NW", 0.633),
    TEXT("W8", "FFT", 0.934),
    DRAWN("W8", "mean"),
    DRAWN("W9", "BFS"),
    DRAWN("W9", "BFS 2"),
    DRAWN("W9", "PR"),
    DRAWN("W9", "mean"),
    TEXT("W10", "ST_s", 0.66),
    DRAWN("W10", "FIR"),
    DRAWN("W10", "FFT"),
    DRAWN("W10", "mean"),
    LIKE_ALONE("W11", "FFT"),
    LIKE_ALONE("W11", "FFT 2"),
    LIKE_ALONE("W11", "FIR"),
    LIKE_ALONE("W11", "mean"),
    TEXT("all", "mean", 0.60),
    {0},
};
