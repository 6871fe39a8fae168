/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of Fractional GPUs. In those of Section V and Appendix C, a variant is a way to share the GPU
 * and what runs on the other partitions; the workload is the application on the first one. */
#include "cli/paper/fgpu_probe.h"
#include "cli/paper/reproduce.h"

/* The application on the other partitions: none, or copies of one. */
enum { NONE, MMS, FWT, VA, IC, CORUNNERS };

/* The schemes, each with every co-runner. Numbers: partitions. */
#define SCHEME(name) name, name##_LAST = name + CORUNNERS - 1
enum {
    BASELINE,
    SCHEME(GTX_CP),
    SCHEME(GTX_CMP),
    SCHEME(V100_MPS),
    SCHEME(V100_CP),
    SCHEME(V100_CMP),
    SCHEME(MPS_4),
    SCHEME(CP_4),
    SCHEME(CMP_4),
    SCHEME(GTX_CP_4K),
    SCHEME(GTX_USER),
    SCHEME(GTX_WALKS),
    SCHEME(GTX_SLICES),
    SCHEME(GTX_SPREAD),
    SCHEME(MIG),
    SCHEME(MIG_COLOURED),
    SCHEME(SHARE_1_3),
    SCHEME(SHARE_2_2),
    SCHEME(SHARE_3_1),
    SCHEME(SHARE_1_7),
    SCHEME(SHARE_4_4),
    SCHEME(SHARE_7_1)
};

#define SIZE               "fgpu"
#define ON(partition, app) "tenants." #partition ".app=" app, "tenants." #partition ".size=" SIZE
#define ALSO_1(app)        ON(1, app)
#define ALSO_3(app)        ON(1, app), ON(2, app), ON(3, app)

/* A scheme next to nothing and to each co-runner. The first partition keeps its share in any case. */
#define VARIANTS(name, text, also, sms, ...)                                                                 \
    [(name) + NONE] = {text, {"tenants.0.sms=" #sms, __VA_ARGS__}},                                          \
              [(name) + MMS] = {text " MMS", {"tenants.0.sms=" #sms, __VA_ARGS__, also("MMS")}},             \
              [(name) + FWT] = {text " FWT", {"tenants.0.sms=" #sms, __VA_ARGS__, also("FWT")}},             \
              [(name) + VA] = {text " VA", {"tenants.0.sms=" #sms, __VA_ARGS__, also("VA")}},                \
              [(name) + IC] = {text " ALEXNET", {"tenants.0.sms=" #sms, __VA_ARGS__, also("ALEXNET")}}

/* The first partition has `own` colours and as much of the SMs, the other one `rest`. */
#define SHARE_OF(own, sms) "tenants.0.sms=" #sms, "tenants.0.colours=" #own, CP, KB4, PAGES, "vm.colours="
#define SHARES(name, all, own, rest, sms)                                                                    \
    [(name) + NONE] = {#own " of " #all, {SHARE_OF(own, sms) #all}},                                         \
              [(name) + MMS] = {#own " of " #all " MMS",                                                     \
                                {SHARE_OF(own, sms) #all, ON(1, "MMS"), "tenants.1.colours=" #rest}},        \
              [(name) + FWT] = {#own " of " #all " FWT",                                                     \
                                {SHARE_OF(own, sms) #all, ON(1, "FWT"), "tenants.1.colours=" #rest}},        \
              [(name) + VA] = {#own " of " #all " VA",                                                       \
                               {SHARE_OF(own, sms) #all, ON(1, "VA"), "tenants.1.colours=" #rest}}
/* Two MIG instances of half the slices each. */
#define INSTANCES(name, text, ...)                                                                           \
    [(name) +                                                                                                \
        NONE] = {text, {"tenants.0.slices=2", __VA_ARGS__}},                                                 \
        [(name) +                                                                                            \
            MMS] = {text " MMS", {"tenants.0.slices=2", __VA_ARGS__, ON(1, "MMS"), "tenants.1.slices=2"}},   \
        [(name) +                                                                                            \
            FWT] = {text " FWT", {"tenants.0.slices=2", __VA_ARGS__, ON(1, "FWT"), "tenants.1.slices=2"}},   \
        [(name) + VA] = {text " VA", {"tenants.0.slices=2", __VA_ARGS__, ON(1, "VA"), "tenants.1.slices=2"}}

#define MPS    "machine.sharing=threads"
#define CP     "machine.dispatch=persistent"
#define KB4    "machine.page_bytes=4096"
#define PAGES  "vm.frames=coloured"
#define USER   "vm.frames=coloured-user"
#define COLOUR "vm.colours=4"

static const struct variant variants[] = {
    [BASELINE] = {"baseline", {NULL}},
    VARIANTS(GTX_CP, "CP", ALSO_1, 10, CP),
    VARIANTS(GTX_CMP, "CMP", ALSO_1, 10, CP, KB4, PAGES),
    VARIANTS(V100_MPS, "MPS", ALSO_1, 40, MPS),
    VARIANTS(V100_CP, "CP", ALSO_1, 40, CP),
    VARIANTS(V100_CMP, "CMP", ALSO_1, 40, CP, KB4, PAGES),
    VARIANTS(MPS_4, "4 MPS", ALSO_3, 20, MPS),
    VARIANTS(CP_4, "4 CP", ALSO_3, 20, CP),
    /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): VARIANTS joins literals */
    VARIANTS(CMP_4, "4 CMP", ALSO_3, 20, CP, KB4, PAGES, COLOUR),
    VARIANTS(GTX_CP_4K, "CP 4 KB", ALSO_1, 10, CP, KB4),
    VARIANTS(GTX_USER, "CMP user", ALSO_1, 10, CP, USER),
    /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): the same */
    VARIANTS(GTX_WALKS, "CMP TLB", ALSO_1, 10, CP, KB4, PAGES, "l2_tlb.per=tenant", "walk.per=tenant"),
    VARIANTS(GTX_SLICES, "timeslice", ALSO_1, 20, "machine.sharing=timeslice"),
    /* NOLINTNEXTLINE(bugprone-suspicious-missing-comma): the same */
    VARIANTS(GTX_SPREAD, "CMP tables", ALSO_1, 10, CP, KB4, PAGES, "vm.spread_tables=1"),
    INSTANCES(MIG, "MIG", "vm.frames=ascending"),
    INSTANCES(MIG_COLOURED, "MIG colours", PAGES),
    SHARES(SHARE_1_3, 4, 1, 3, 20),
    SHARES(SHARE_2_2, 4, 2, 2, 40),
    SHARES(SHARE_3_1, 4, 3, 1, 60),
    SHARES(SHARE_1_7, 8, 1, 7, 10),
    SHARES(SHARE_4_4, 8, 4, 4, 40),
    SHARES(SHARE_7_1, 8, 7, 1, 70),
};

#define GTX_1080   "fgpu-gtx1080"
#define V100       "fgpu-v100"
#define GTX_MIG    "fgpu/gtx1080-mig"
#define THREE      "1 3 5"
#define SIX        "1-6"
#define INFERENCE  "7"
#define TIME       "time relative to the whole GPU's by the share of SMs"
#define PERCENT    "per cent longer next to others"
#define MSHRS_64   "l2d.mshrs=64"
#define EACH(name) (name) + NONE, (name) + MMS, (name) + FWT, (name) + VA
#define PAIRS(name)                                                                                          \
    {(name) + MMS, (name)}, {(name) + FWT, (name)},                                                          \
    {                                                                                                        \
        (name) + VA, (name)                                                                                  \
    }

/* Each figure with the MSHRs of the paper's Section IV-E, and with as many as keep the bus busy. */
#define FIGURE_9A                                                                                            \
    .title = "Times next to others, GTX 1080", .axis = TIME, .machine = GTX_1080,                            \
    .metric = METRIC_NORMALISED, .workloads = SIX, .nvariants = 8, .variant = {EACH(GTX_CP), EACH(GTX_CMP)}, \
    .reference = BASELINE, .nover = 1, .over = {{GTX_CMP, GTX_CP}}
#define FIGURE_9B                                                                                            \
    .title = "Times next to others, V100", .axis = TIME, .machine = V100, .metric = METRIC_NORMALISED,       \
    .workloads = SIX, .nvariants = 12, .variant = {EACH(V100_MPS), EACH(V100_CP), EACH(V100_CMP)},           \
    .reference = BASELINE, .nover = 3,                                                                       \
    .over = {{V100_CP, V100_MPS}, {V100_CMP, V100_MPS}, {V100_CMP, V100_CP}}
#define TABLE_3A                                                                                             \
    .title = "Variation of times, GTX 1080", .axis = PERCENT, .machine = GTX_1080,                           \
    .metric = METRIC_VARIATION, .workloads = SIX, .nvariants = 2, .variant = {GTX_CP, GTX_CMP}, .nover = 6,  \
    .over = {PAIRS(GTX_CP), PAIRS(GTX_CMP)}
#define TABLE_3B                                                                                             \
    .title = "Variation of times, V100", .axis = PERCENT, .machine = V100, .metric = METRIC_VARIATION,       \
    .workloads = SIX, .nvariants = 3, .variant = {V100_MPS, V100_CP, V100_CMP}, .nover = 9,                  \
    .over = {PAIRS(V100_MPS), PAIRS(V100_CP), PAIRS(V100_CMP)}
#define FIGURE_10                                                                                            \
    .title = "Times of inference next to others, GTX 1080", .axis = TIME, .machine = GTX_1080,               \
    .metric = METRIC_NORMALISED, .workloads = INFERENCE, .nvariants = 10,                                    \
    .variant = {EACH(GTX_CP), GTX_CP + IC, EACH(GTX_CMP), GTX_CMP + IC}, .reference = BASELINE, .nover = 1,  \
    .over = {{GTX_CMP, GTX_CP}}
#define VARIATION_10                                                                                         \
    .title = "Variation of times of inference, GTX 1080", .axis = PERCENT, .machine = GTX_1080,              \
    .metric = METRIC_VARIATION, .workloads = INFERENCE, .nvariants = 2, .variant = {GTX_CP, GTX_CMP},        \
    .nover = 8, .over = {PAIRS(GTX_CP), {GTX_CP + IC, GTX_CP}, PAIRS(GTX_CMP), {GTX_CMP + IC, GTX_CMP}}
#define FIGURE_11                                                                                            \
    .title = "Times next to three others, V100", .axis = TIME, .machine = V100, .metric = METRIC_NORMALISED, \
    .workloads = SIX, .nvariants = 12, .variant = {EACH(MPS_4), EACH(CP_4), EACH(CMP_4)},                    \
    .reference = BASELINE, .nover = 3, .over = {{CP_4, MPS_4}, {CMP_4, MPS_4}, {CMP_4, CP_4}}
#define TABLE_4                                                                                              \
    .title = "Variation of times, V100 with four and two partitions", .axis = PERCENT, .machine = V100,      \
    .metric = METRIC_VARIATION, .workloads = SIX, .nvariants = 6,                                            \
    .variant = {MPS_4, CP_4, CMP_4, V100_MPS, V100_CP, V100_CMP}, .nover = 18,                               \
    .over = {PAIRS(MPS_4), PAIRS(CP_4), PAIRS(CMP_4), PAIRS(V100_MPS), PAIRS(V100_CP), PAIRS(V100_CMP)}

static const struct figure figures[] = {
    {.name = "fig3",
     .title = "Times of 3000 pairs of loads",
     .axis = "pairs",
     .machine = GTX_1080,
     .nvariants = 1,
     .measure = fgpu_pairs_3000},
    {.name = "fig4",
     .title = "Times of 100,000 pairs of loads",
     .axis = "pairs",
     .machine = GTX_1080,
     .nvariants = 1,
     .measure = fgpu_pairs_100000},
    {.name = "fig6",
     .title = "Functions that software finds by time",
     .axis = "number",
     .nvariants = 1,
     .measure = fgpu_functions},
    {.name = "fig8",
     .title = "Cycles of a load next to other threads",
     .axis = "cycles of a load",
     .machine = GTX_1080,
     .nvariants = 1,
     .measure = fgpu_interference},
    {.name = "appendixb",
     .title = "Properties of the GTX 1080 that software finds by time",
     .axis = "number",
     .machine = GTX_1080,
     .nvariants = 1,
     .measure = fgpu_properties},
    {.name = "fig9a", FIGURE_9A},
    {.name = "fig9b", FIGURE_9B},
    {.name = "table3a", TABLE_3A},
    {.name = "table3b", TABLE_3B},
    {.name = "fig10", FIGURE_10},
    {.name = "fig10-variation", VARIATION_10},
    {.name = "fig11", FIGURE_11},
    {.name = "table4", TABLE_4},
    {.name = "ext-64-fig8",
     .title = "Cycles of a load next to other threads",
     .axis = "cycles of a load",
     .machine = GTX_1080,
     .set = MSHRS_64,
     .nvariants = 1,
     .measure = fgpu_interference},
    {.name = "ext-64-fig9a", .set = MSHRS_64, FIGURE_9A},
    {.name = "ext-64-fig9b", .set = MSHRS_64, FIGURE_9B},
    {.name = "ext-64-table3a", .set = MSHRS_64, TABLE_3A},
    {.name = "ext-64-table3b", .set = MSHRS_64, TABLE_3B},
    {.name = "ext-64-fig10", .set = MSHRS_64, FIGURE_10},
    {.name = "ext-64-fig10-variation", .set = MSHRS_64, VARIATION_10},
    {.name = "ext-64-fig11", .set = MSHRS_64, FIGURE_11},
    {.name = "ext-64-table4", .set = MSHRS_64, TABLE_4},
    {.name = "ext-pages",
     .title = "Variation of times with pages of 4 KB alone, and colours by software",
     .axis = PERCENT,
     .machine = GTX_1080,
     .metric = METRIC_VARIATION,
     .workloads = SIX,
     .nvariants = 4,
     .variant = {GTX_CP, GTX_CP_4K, GTX_CMP, GTX_USER},
     .nover = 12,
     .over = {PAIRS(GTX_CP), PAIRS(GTX_CP_4K), PAIRS(GTX_CMP), PAIRS(GTX_USER)}},
    {.name = "ext-translation",
     .title = "Variation of times with separate L2 TLBs and walkers, and in turns",
     .axis = PERCENT,
     .machine = GTX_1080,
     .metric = METRIC_VARIATION,
     .workloads = SIX,
     .nvariants = 3,
     .variant = {GTX_CMP, GTX_WALKS, GTX_SLICES},
     .nover = 9,
     .over = {PAIRS(GTX_CMP), PAIRS(GTX_WALKS), PAIRS(GTX_SLICES)}},
    {.name = "ext-reveal",
     .title = "Functions that software finds next to threads that load at random",
     .axis = "number",
     .machine = GTX_1080,
     .nvariants = 1,
     .measure = fgpu_noise},
    {.name = "ext-tables",
     .title = "Variation of times with page tables of all colours",
     .axis = PERCENT,
     .machine = GTX_1080,
     .metric = METRIC_VARIATION,
     .workloads = SIX,
     .nvariants = 2,
     .variant = {GTX_CMP, GTX_SPREAD},
     .nover = 6,
     .over = {PAIRS(GTX_CMP), PAIRS(GTX_SPREAD)}},
    {.name = "ext-mig",
     .title = "Variation of times on MIG instances that share L2 and DRAM, GTX 1080",
     .axis = PERCENT,
     .machine = GTX_MIG,
     .metric = METRIC_VARIATION,
     .workloads = SIX,
     .nvariants = 2,
     .variant = {MIG, MIG_COLOURED},
     .nover = 6,
     .over = {PAIRS(MIG), PAIRS(MIG_COLOURED)}},
    {.name = "ext-shares",
     .title = "Variation of times with unequal shares of colours and SMs, V100",
     .axis = PERCENT,
     .machine = V100,
     .metric = METRIC_VARIATION,
     .workloads = THREE,
     .nvariants = 6,
     .variant = {SHARE_1_3, SHARE_2_2, SHARE_3_1, SHARE_1_7, SHARE_4_4, SHARE_7_1},
     .nover = 18,
     .over = {PAIRS(SHARE_1_3), PAIRS(SHARE_2_2), PAIRS(SHARE_3_1), PAIRS(SHARE_1_7), PAIRS(SHARE_4_4),
              PAIRS(SHARE_7_1)}},
    {.name = "ext-shares-time",
     .title = "Times next to VA with unequal shares of colours and SMs, V100",
     .axis = "time relative to the whole GPU's",
     .machine = V100,
     .metric = METRIC_TIME,
     .workloads = THREE,
     .nvariants = 12,
     .variant = {SHARE_1_3, SHARE_1_3 + VA, SHARE_2_2, SHARE_2_2 + VA, SHARE_3_1, SHARE_3_1 + VA, SHARE_1_7,
                 SHARE_1_7 + VA, SHARE_4_4, SHARE_4_4 + VA, SHARE_7_1, SHARE_7_1 + VA},
     .reference = BASELINE},
};

const struct evaluation reproduce_fgpu = {
    .paper = "fgpu",
    .title = "Fractional GPUs",
    .machine = GTX_1080,
    .input = SIZE,
    .variant = variants,
    .figure = figures,
    .nfigures = sizeof figures / sizeof *figures,
};
