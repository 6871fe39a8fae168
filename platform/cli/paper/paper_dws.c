/* SPDX-License-Identifier: Apache-2.0 */
/* DWS: Improving GPU Multi-tenancy with Page Walk Stealing. Numbers as printed; what the text gives in per
 * cent of a gain is here as the figure draws it, relative to the reference. */
#include "cli/paper/paper_claim.h"

#include <stddef.h>

#define POINT(figure, series, x, value, unit, note)                                                          \
    {                                                                                                        \
        "dws", figure, series, x, value, true, unit, note                                                    \
    }
#define OF_BASELINE(figure, series, x, value, note) POINT(figure, series, x, value, "of the baseline", note)

#define TABLE3(pair, x_1, x_2, first, second, mean)                                                          \
    POINT("table3", pair, x_1, first, "walks", "Table III"),                                                 \
        POINT("table3", pair, x_2, second, "walks", "Table III"),                                            \
        POINT("table3", pair, "mean", mean, "walks", "Table III")
#define TABLE5(pair, baseline, dws, dws_pp)                                                                  \
    POINT("table5", pair, "baseline", baseline, "walks", "Table V"),                                         \
        POINT("table5", pair, "DWS", dws, "walks", "Table V"),                                               \
        POINT("table5", pair, "DWS++", dws_pp, "walks", "Table V")
#define TABLE6(pair, x_1, x_2, dws_1, dws_2, dws_pp_1, dws_pp_2)                                             \
    POINT("table6", pair, x_1 " DWS", dws_1, "% of the walks", "Table VI"),                                  \
        POINT("table6", pair, x_2 " DWS", dws_2, "% of the walks", "Table VI"),                              \
        POINT("table6", pair, x_1 " DWS++", dws_pp_1, "% of the walks", "Table VI"),                         \
        POINT("table6", pair, x_2 " DWS++", dws_pp_2, "% of the walks", "Table VI")

const struct mp_db_point paper_dws[] = {
    OF_BASELINE("fig2", "all", "S-TLB", 1.26, "IV: improves by around 26 %"),
    OF_BASELINE("fig2", "all", "S-(TLB+PTW) over S-TLB", 1.31, "IV: improves by a further 31 %"),
    OF_BASELINE("fig2", "32", "S-TLB", 1.38, "IV: by 38 % over HL, HM and HH"),
    OF_BASELINE("fig2", "32", "S-(TLB+PTW) over S-TLB", 1.46, "IV: by a further 46 % over HL, HM and HH"),
    OF_BASELINE("fig2", "all", "double over S-(TLB+PTW)", 0.92,
                "IV-A: 2048 entries and 32 walkers, shared, are around 8 % slower"),

    OF_BASELINE("fig3", "all", "S-(TLB+PTW) over S-TLB", 1.16, "IV: increases by a further 16 %"),

    TABLE3("HS.MM", "HS", "MM", 0.01, 0.012, 0.011),
    TABLE3("FFT.HS", "FFT", "HS", 0.01, 0.032, 0.021),
    TABLE3("LL", "tenant 1", "tenant 2", 0.017, 0.043, 0.03),
    TABLE3("3DS.FFT", "3DS", "FFT", 1.922, 5.203, 3.563),
    TABLE3("LIB.MM", "LIB", "MM", 0.367, 0.447, 0.407),
    TABLE3("ML", "tenant 1", "tenant 2", 0.907, 2.342, 1.625),
    TABLE3("3DS.SRAD", "3DS", "SRAD", 2.789, 6.738, 4.763),
    TABLE3("LIB.JPEG", "LIB", "JPEG", 0.16, 0.249, 0.204),
    TABLE3("MM", "tenant 1", "tenant 2", 1.293, 3.537, 2.415),
    TABLE3("BLK.HS", "BLK", "HS", 4.35, 36.937, 20.643),
    TABLE3("GUPS.MM", "GUPS", "MM", 22.843, 109.697, 66.27),
    TABLE3("HL", "tenant 1", "tenant 2", 12.236, 72.346, 42.291),
    TABLE3("BLK.3DS", "BLK", "3DS", 28.769, 86.203, 57.486),
    TABLE3("GUPS.JPEG", "GUPS", "JPEG", 7.233, 131.907, 69.57),
    TABLE3("HM", "tenant 1", "tenant 2", 15.282, 72.761, 44.021),
    TABLE3("GUPS.SAD", "GUPS", "SAD", 72.539, 77.208, 74.874),
    TABLE3("QTC.BLK", "QTC", "BLK", 56.59, 84.1, 70.345),
    TABLE3("HH", "tenant 1", "tenant 2", 58.434, 85.128, 71.781),

    OF_BASELINE("fig5", "all", "DWS", 1.37, "abstract, VII-A: improves by 37 %"),
    OF_BASELINE("fig5", "32", "DWS", 1.55, "VII-A: by 55 % over the 32 sensitive pairs"),
    OF_BASELINE("fig5", "all", "DWS++", 1.34, "VII-A: improves by 34 %"),
    OF_BASELINE("fig5", "SAD.MM", "DWS", 1.86, "VII-A"),
    OF_BASELINE("fig5", "GUPS.JPEG", "DWS", 3.8, "VII-A"),

    OF_BASELINE("fig7", "all", "DWS over baseline", 1.15, "abstract, VII-A: increases by 15 %"),

    TABLE5("HS.MM", 0.011, 0.003, 0.003),
    TABLE5("FFT.HS", 0.021, 0.003, 0.003),
    TABLE5("LL", 0.03, 0.005, 0.005),
    TABLE5("3DS.FFT", 3.563, 0.162, 0.162),
    TABLE5("LIB.MM", 0.407, 0.032, 0.032),
    TABLE5("ML", 1.625, 0.071, 0.071),
    TABLE5("3DS.SRAD", 4.763, 0.096, 0.097),
    TABLE5("LIB.JPEG", 0.204, 0.014, 0.013),
    TABLE5("MM", 2.415, 0.113, 0.113),
    TABLE5("BLK.HS", 20.643, 0.379, 0.379),
    TABLE5("GUPS.MM", 66.27, 0.144, 0.345),
    TABLE5("HL", 42.291, 0.225, 0.295),
    TABLE5("BLK.3DS", 57.486, 0.056, 0.456),
    TABLE5("GUPS.JPEG", 69.57, 0.349, 0.35),
    TABLE5("HM", 44.021, 0.164, 0.31),
    TABLE5("GUPS.SAD", 74.874, 0.005, 0.029),
    TABLE5("QTC.BLK", 70.345, 0.019, 0.084),
    TABLE5("HH", 71.781, 0.016, 0.056),

    TABLE6("HS.MM", "HS", "MM", 0.21, 0.19, 0.21, 0.19),
    TABLE6("FFT.HS", "FFT", "HS", 1.01, 0.03, 1.01, 0.03),
    TABLE6("LL", "tenant 1", "tenant 2", 0.81, 0.35, 0.81, 0.35),
    TABLE6("3DS.FFT", "3DS", "FFT", 20.98, 2.28, 20.98, 2.28),
    TABLE6("LIB.MM", "LIB", "MM", 3.56, 2.1, 3.56, 2.1),
    TABLE6("ML", "tenant 1", "tenant 2", 15.85, 1.8, 15.85, 1.8),
    TABLE6("3DS.SRAD", "3DS", "SRAD", 9.04, 3.53, 10.02, 2.43),
    TABLE6("LIB.JPEG", "LIB", "JPEG", 2.67, 0.43, 2.73, 0.43),
    TABLE6("MM", "tenant 1", "tenant 2", 13.08, 2.05, 13.34, 1.77),
    TABLE6("BLK.HS", "BLK", "HS", 39.62, 0.59, 39.62, 0.59),
    TABLE6("GUPS.MM", "GUPS", "MM", 29.1, 0.15, 31.22, 0.31),
    TABLE6("HL", "tenant 1", "tenant 2", 34.53, 0.78, 35.2, 0.82),
    TABLE6("BLK.3DS", "BLK", "3DS", 14.89, 0.07, 22.12, 0.13),
    TABLE6("GUPS.JPEG", "GUPS", "JPEG", 40.55, 0.04, 40.73, 0.05),
    TABLE6("HM", "tenant 1", "tenant 2", 26.29, 1.09, 30.06, 1.1),
    TABLE6("GUPS.SAD", "GUPS", "SAD", 3.34, 0, 3.6, 0.21),
    TABLE6("QTC.BLK", "QTC", "BLK", 10.69, 0.28, 13.5, 0.66),
    TABLE6("HH", "tenant 1", "tenant 2", 7.16, 0.8, 8.68, 1.29),

    OF_BASELINE("fig11", "all", "DWS over MASK", 1.29, "VII-D: outperforms MASK by 29 %"),
    {0},
};

/* "Little scope" is taken as less than 10 %. */
const struct paper_claim paper_dws_claims[] = {
    LESS("fig2", "LL", "*", 1.1, "IV: little scope for LL"),
    LESS("fig2", "ML", "*", 1.1, "IV: little scope for ML"),
    LESS("fig2", "MM", "*", 1.1, "IV: little scope for MM"),
    LESS("table3", "LL", "mean", 1, "IV-A: no significant interleaving for LL"),
    MORE("table3", "HL", "mean", 10, "IV-A: tens of walks for HL"),
    MORE("table3", "HM", "mean", 10, "IV-A: tens of walks for HM"),
    MORE("table3", "HH", "mean", 10, "IV-A: tens of walks for HH"),
    MORE_THAN("table3", "HL", "tenant 2", "HL", "tenant 1",
              "IV-A: the tenant with fewer walks waits for more (HL)"),
    MORE_THAN("table3", "HM", "tenant 2", "HM", "tenant 1",
              "IV-A: the tenant with fewer walks waits for more (HM)"),
    LESS_THAN("fig5", "all", "DWS++", "all", "DWS", "VII-A: DWS++ gains slightly less"),
    LESS_THAN("fig6", "BLK.3DS", "DWS", "BLK.3DS", "baseline", "VII-A: DWS is less fair to BLK.3DS"),
    LESS_THAN("fig6", "GUPS.3DS", "DWS", "GUPS.3DS", "baseline", "VII-A: DWS is less fair to GUPS.3DS"),
    LESS_THAN("fig6", "SAD.QTC", "DWS", "SAD.QTC", "baseline", "VII-A: DWS is less fair to SAD.QTC"),
    LESS_THAN("fig6", "SAD.3DS", "DWS", "SAD.3DS", "baseline", "VII-A: DWS is less fair to SAD.3DS"),
    LESS_THAN("fig6", "BLK.LIB", "DWS", "BLK.LIB", "baseline", "VII-A: DWS is less fair to BLK.LIB"),
    MORE_THAN("fig6", "BLK.3DS", "DWS++", "BLK.3DS", "DWS", "VII-A: DWS++ is fairer than DWS to BLK.3DS"),
    MORE_THAN("fig6", "all", "DWS++", "all", "DWS", "VII-A: DWS++ is the fairest on average: than DWS"),
    MORE_THAN("fig6", "all", "DWS++", "all", "baseline",
              "VII-A: DWS++ is the fairest on average: than the baseline"),
    LESS_THAN("fig7", "all", "DWS++", "all", "DWS", "VII-A: DWS++ gives up some weighted IPC"),
    LESS("table5", "*", "DWS", 1, "V: a walk waits for at most one of another tenant"),
    LESS("table5", "32", "DWS", 0.5, "VII-B: a small fraction under DWS"),
    LESS("table5", "32", "DWS++", 0.5, "VII-B: a small fraction under DWS++"),
    MORE_THAN("table5", "32", "DWS++", "32", "DWS", "VII-B: slightly more under DWS++"),
    MORE_THAN("table6", "32", "tenant 1 DWS", "32", "tenant 2 DWS",
              "VII-B: the tenant with more walks is helped"),
    MORE_THAN("table6", "32", "tenant 1 DWS++", "32", "tenant 1 DWS", "VII-B: DWS++ steals more"),
    MORE("fig8", "HL", "tenant 2 baseline", 5, "VII-B: five to six times the latency alone (HL)"),
    MORE("fig8", "HM", "tenant 2 baseline", 5, "VII-B: five to six times the latency alone (HM)"),
    MORE("fig8", "HH", "tenant 2 baseline", 5, "VII-B: five to six times the latency alone (HH)"),
    LESS_THAN("fig8", "HL", "tenant 2 DWS", "HL", "tenant 2 baseline", "VII-B: DWS shortens it (HL)"),
    LESS_THAN("fig8", "HM", "tenant 2 DWS", "HM", "tenant 2 baseline", "VII-B: DWS shortens it (HM)"),
    MORE_THAN("fig9a", "GUPS.MM", "MM DWS", "GUPS.MM", "MM baseline",
              "VII-B: the lighter tenant gets more walkers"),
    MORE_THAN("fig9b", "GUPS.MM", "MM DWS", "GUPS.MM", "MM baseline",
              "VII-B: and with them more of the L2 TLB"),
    MORE_THAN("fig9a", "BLK.3DS", "3DS DWS", "BLK.3DS", "3DS baseline",
              "VII-B: the lighter tenant gets more walkers"),
    MORE_THAN("fig9b", "BLK.3DS", "3DS DWS", "BLK.3DS", "3DS baseline",
              "VII-B: and with them more of the L2 TLB"),
    MORE_THAN("fig10a", "all", "aggressive", "all", "DWS++", "VII-C: aggressive stealing is fairer"),
    LESS_THAN("fig10b", "all", "aggressive", "all", "DWS++", "VII-C: aggressive stealing gains less"),
    LESS_THAN("fig10a", "HH", "DWS", "HH", "baseline", "VII-C: DWS is less fair to HH than the baseline"),
    LESS("fig11", "all", "static", 1, "VII-D: static partition is worse than the baseline"),
    MORE_THAN("fig11", "all", "DWS", "all", "MASK", "VII-D: DWS is ahead of MASK"),
    LESS_THAN("fig12", "HL", "24 walkers", "HL", "12 walkers", "VII-E: more walkers, less gain (HL)"),
    LESS_THAN("fig12", "HM", "24 walkers", "HM", "12 walkers", "VII-E: more walkers, less gain (HM)"),
    LESS_THAN("fig12", "HL", "2048 entries", "HL", "512 entries", "VII-E: a larger L2 TLB, less gain (HL)"),
    MORE_THAN("fig12", "HH", "2048 entries", "HH", "512 entries", "VII-E: a larger L2 TLB, more gain for HH"),
    MORE("fig13", "all", "DWS", 1.1, "VII-F: gains with three and four tenants, too"),
    MORE("fig14", "all", "mean", 1, "VII-G: gains with pages of 64 KB, too"),
    {0},
};
