/* SPDX-License-Identifier: Apache-2.0 */
/* STAR: Sub-Entry Sharing-Aware TLB for Multi-Instance GPU. Numbers as printed, those of figures as the
 * figure draws them: performance and rates relative to a reference, where the text says an improvement in per
 * cent. */
#include "cli/paper/paper_claim.h"

#include <stddef.h>

const char *const paper_star_apps[] = {"ATAX", "BICG", "FFT", "BFS",  "ST", "FIR",
                                       "PR",   "MT",   "NW",  "CONV", NULL};

const char *const paper_star_category[18] = {"HHH",  "HHM",  "HMM",  "HML",  "HML",   "HLL",
                                             "MMM",  "MML",  "MML",  "MLL",  "LLL",   "HHHH",
                                             "HHMM", "HHLL", "MMMM", "MMLL", "HHHML", "HHHHML"};

/* The paper does not say whether it counts instructions of warps or of threads, so both are measured. */
#define TABLE2(app, count, mpki, class)                                                                      \
    {"star", "table2", app, "instructions", count, true, "instructions", "Table II"},                        \
    {                                                                                                        \
        "star", "table2", app, "l2_tlb_mpki", mpki, true, "misses per 1000 instructions",                    \
            "Table II, class " class                                                                         \
    }

#define POINT(figure, series, x, value, unit, note)                                                          \
    {                                                                                                        \
        "star", figure, series, x, value, true, unit, note                                                   \
    }
#define OF_ALONE(figure, series, x, value, note)     POINT(figure, series, x, value, "of running alone", note)
#define OF_REFERENCE(figure, series, x, value, note) POINT(figure, series, x, value, "of the reference", note)
#define SHARE(figure, series, x, value, note)        POINT(figure, series, x, value, "share", note)

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

    OF_ALONE("fig3", "W1", "mean", 0.52, "IV-A: drops by 48 %"),
    OF_ALONE("fig3", "W4", "ST_s", 0.39, "IV-A: drops by 61 %"),
    OF_ALONE("fig3", "W8", "NW", 0.633, "IV-A: drops by 36.7 %"),
    OF_ALONE("fig3", "W8", "FFT", 0.934, "IV-A: drops by 6.6 %"),
    OF_ALONE("fig3", "W10", "ST_s", 0.66, "IV-A: drops by 34 %"),
    OF_ALONE("fig3", "all", "mean", 0.60, "IV-A: drops by 40 %"),

    SHARE("fig4", "W3 alone", "NW 16384", 0.942, "IV-A: reuses within the L3 TLB's reach"),
    SHARE("fig4", "W3", "NW 16384", 0.327, "IV-A: reuses within the L3 TLB's reach"),

    SHARE("fig5", "alone", "ST 8", 0.50, "IV-B: nearly 50 % when half is used"),
    SHARE("fig5", "alone", "ST 15", 0.566, "IV-B: 43.4 % leave full"),
    POINT("fig5", "alone", "ATAX evictions", 0, "evictions", "IV-B: fits"),
    POINT("fig5", "alone", "BICG evictions", 0, "evictions", "IV-B: fits"),
    POINT("fig5", "alone", "BFS evictions", 0, "evictions", "IV-B: fits"),
    POINT("fig5", "alone", "NW evictions", 0, "evictions", "IV-B: fits"),

    SHARE("fig6", "W1", "ATAX 7", 0.734, "IV-B: with less than half used"),
    SHARE("fig6", "W2", "ST 1", 0.663, "IV-B: with only one used"),
    SHARE("fig6", "W4", "ST_s 2", 0.698, "IV-B: with just two used"),
    SHARE("fig6", "W7", "ST_s 2", 0.225, "IV-B: with two used"),

    OF_REFERENCE("fig10", "W2", "ST", 1.527, "VI-A: improves by 52.7 %"),
    OF_REFERENCE("fig10", "W2", "mean", 1.513, "VI-A: up to 51.3 %"),
    OF_REFERENCE("fig10", "W4", "MT_s", 1.35, "VI-A: improves by 35 %"),
    OF_REFERENCE("fig10", "W6", "MT_s", 1.55, "VI-A: improves by 55 %"),
    OF_REFERENCE("fig10", "W7", "mean", 1.235, "VI-A: improves by 23.5 %"),
    OF_REFERENCE("fig10", "W10", "FIR", 1.271, "VI-A: improves by 27.1 %"),
    OF_REFERENCE("fig10", "all", "mean", 1.287, "abstract, VI-A: improves by 28.7 %"),

    OF_REFERENCE("fig11", "W2", "ST STAR over baseline", 1.52, "VI-A: hit rate improves by 52 %"),
    OF_REFERENCE("fig11", "all", "STAR over baseline", 1.328, "VI-A: hit rate improves by 32.8 %"),

    OF_REFERENCE("fig12", "all", "sequential", 1.192, "VI-A: improves by 19.2 %"),
    OF_REFERENCE("fig12", "all", "stride", 1.197, "VI-A: improves by 19.7 %"),
    OF_REFERENCE("fig12", "all", "STAR", 1.287, "VI-A: improves by 28.7 %"),

    OF_REFERENCE("fig13", "all", "STAR over baseline", 1.314, "VI-A: utilisation improves by 31.4 %"),

    OF_ALONE("fig14", "all", "mean", 0.739, "VI-A: drops by 26.1 %"),

    OF_REFERENCE("fig15", "all", "4 bases", 1.227, "VI-B: improves by 22.7 %"),
    OF_REFERENCE("fig15", "all", "4 bases over STAR", 0.94, "VI-B: 6 % less than with two bases"),

    OF_REFERENCE("fig17", "all of 4", "mean", 1.146, "VI-B: improves by 14.6 %"),
    OF_REFERENCE("fig17", "all of 5", "mean", 1.153, "VI-B: improves by 15.3 %"),
    OF_REFERENCE("fig17", "all of 6", "mean", 1.121, "VI-B: improves by 12.1 %"),

    OF_REFERENCE("fig18", "W8", "double way", 0.733, "VI-C: drops by 26.7 %"),
    OF_REFERENCE("fig18", "all", "STAR over double set", 1.20, "VI-C: improves by 20 %"),
    OF_REFERENCE("fig18", "all", "STAR over double way seq", 1.215, "VI-C: improves by 21.5 %"),
    OF_REFERENCE("fig18", "all", "STAR over double way", 1.161, "VI-C: improves by 16.1 %"),

    OF_REFERENCE("fig19", "all", "mean", 1.10, "VI-D: improves by 10 %"),

    OF_REFERENCE("fig20", "all", "static", 0.932, "VI-E: 6.8 % degradation"),
    OF_REFERENCE("fig20", "all", "static + STAR over static", 1.14, "VI-E: improves by 14 %"),

    OF_REFERENCE("fig21", "all", "mean", 1.25, "VI-F: improves by 25 %"),
    {0},
};

/* "Negligible", "similar" and "no detriment" are taken as within 3 %. */
const struct paper_claim paper_star_claims[] = {
    MORE("fig3", "W11", "*", 0.97, "IV-A: in W11 the overhead is negligible"),
    LESS_THAN("fig3", "W8", "NW", "W8", "FFT", "IV-A: in W8 NW loses more than FFT"),
    LESS_THAN("fig3", "W4", "ST_s", "W10", "ST_s", "IV-A: ST_s loses more in W4 than in W10"),
    LESS("fig4", "W2", "MT 16384", 0.2, "IV-A: more than 80 % of MT's reuses are beyond the L3 TLB (W2)"),
    LESS("fig4", "W3", "MT 16384", 0.2, "IV-A: more than 80 % of MT's reuses are beyond the L3 TLB (W3)"),
    LESS_THAN("fig4", "W3", "NW 16384", "W3 alone", "NW 16384", "IV-A: NW's distances grow in W3"),
    MORE("fig5", "alone", "MT 4", 0.5, "IV-B: most of MT's entries leave with four sub-entries"),
    LESS("fig5", "alone", "FIR 15", 0.5, "IV-B: FIR's entries leave full"),
    LESS("fig5", "alone", "FFT 15", 0.5, "IV-B: FFT's entries leave full"),
    LESS_THAN("fig6", "W7", "ST_s 2", "W4", "ST_s 2", "IV-B: ST_s leaves emptier entries in W4 than in W7"),
    MORE("fig10", "*", "*", 0.97, "VI-A: no application loses"),
    MORE_THAN("fig10", "W6", "MT_s", "W4", "MT_s", "VI-A: MT_s gains more in W6 than in W4"),
    MORE_THAN("fig10", "W2", "mean", "W7", "mean", "VI-A: W2 gains more than W7"),
    MORE_THAN("fig12", "W1", "stride", "W1", "sequential", "VI-A: W1 is better with stride only"),
    MORE_THAN("fig12", "W10", "sequential", "W10", "stride", "VI-A: W10 is better with sequential only"),
    MORE_THAN("fig12", "all", "STAR", "all", "stride", "VI-A: both layouts gain more than one"),
    LESS_THAN("fig15", "all", "4 bases", "all", "STAR", "VI-B: four bases gain less than two"),
    LESS_THAN("fig16", "W1", "stride 2", "W1", "STAR", "VI-B: W1 is worse with stride 2"),
    LESS_THAN("fig16", "W1", "stride 4", "W1", "STAR", "VI-B: W1 is worse with stride 4"),
    LESS_THAN("fig16", "W2", "stride 2", "W2", "STAR", "VI-B: W2 is worse with stride 2"),
    LESS_THAN("fig16", "W2", "stride 4", "W2", "STAR", "VI-B: W2 is worse with stride 4"),
    MORE_THAN("fig16", "W5", "stride 2", "W5", "STAR", "VI-B: W5 is better with stride 2"),
    MORE_THAN("fig16", "W5", "stride 4", "W5", "STAR", "VI-B: W5 is better with stride 4"),
    MORE_THAN("fig18", "all", "STAR", "all", "double way", "VI-C: STAR is the best: than twice the ways"),
    MORE_THAN("fig18", "all", "STAR", "all", "double set", "VI-C: STAR is the best: than twice the sets"),
    LESS_THAN("fig20", "W6", "static", "all", "static", "VI-E: W6 loses more than most to static partition"),
    LESS_THAN("fig20", "W8", "static", "all", "static", "VI-E: W8 loses more than most to static partition"),
    LESS_THAN("fig20", "W10", "static", "all", "static",
              "VI-E: W10 loses more than most to static partition"),
    {0},
};
