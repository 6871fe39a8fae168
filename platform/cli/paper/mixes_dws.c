/* SPDX-License-Identifier: Apache-2.0 */
/* Who shares DWS's machine. The paper has 45 of the 78 pairs of its thirteen applications, with all classes,
 * the heavy ones more, and names 17: HS.MM, FFT.HS, 3DS.FFT, LIB.MM, 3DS.SRAD, LIB.JPEG, BLK.HS, GUPS.MM,
 * SAD.MM, BLK.3DS, GUPS.JPEG, GUPS.3DS, SAD.3DS, BLK.LIB, GUPS.SAD, QTC.BLK and SAD.QTC. All six of HH are
 * here; the others were chosen before any of them was run, so that each light and each medium application
 * meets about as many heavy ones; QTC, whose pairs take longest, meets fewest. The heavier comes first, as in
 * the paper's names. */
#include "cli/paper/reproduce.h"

#define MM   "MM"
#define HS   "HS"
#define RAY  "RAY"
#define FFT  "FFT256" /* STAR's is another FFT */
#define LPS  "LPS"
#define JPEG "JPEG"
#define LIB  "LIB"
#define SRAD "SRAD"
#define TDS  "3DS"
#define BLK  "BLK"
#define QTC  "QTC"
#define SAD  "SAD"
#define GUPS "GUPS"

#define MIX(name_, category_, ...) .name = name_, .category = category_, .app = {__VA_ARGS__}
#define FIFTEEN                    .set = {"walk.walkers_per_slice=15", "walk.queue=180"} /* VII-F: equal shares of three */

const struct mix mixes_dws[] = {
    /* 1 to 13: VII-A, hardly sensitive */
    {MIX("HS.MM", "LL", HS, MM)},
    {MIX("FFT.HS", "LL", FFT, HS)},
    {MIX("RAY.FFT", "LL", RAY, FFT)},
    {MIX("3DS.FFT", "ML", TDS, FFT)},
    {MIX("LIB.MM", "ML", LIB, MM)},
    {MIX("LPS.HS", "ML", LPS, HS)},
    {MIX("JPEG.RAY", "ML", JPEG, RAY)},
    {MIX("SRAD.RAY", "ML", SRAD, RAY)},
    {MIX("SRAD.MM", "ML", SRAD, MM)},
    {MIX("3DS.SRAD", "MM", TDS, SRAD)},
    {MIX("LIB.JPEG", "MM", LIB, JPEG)},
    {MIX("LPS.SRAD", "MM", LPS, SRAD)},
    {MIX("JPEG.3DS", "MM", JPEG, TDS)},
    /* 14 to 25 */
    {MIX("BLK.HS", "HL", BLK, HS)},
    {MIX("GUPS.MM", "HL", GUPS, MM)},
    {MIX("SAD.MM", "HL", SAD, MM)},
    {MIX("BLK.MM", "HL", BLK, MM)},
    {MIX("BLK.FFT", "HL", BLK, FFT)},
    {MIX("GUPS.HS", "HL", GUPS, HS)},
    {MIX("GUPS.RAY", "HL", GUPS, RAY)},
    {MIX("SAD.RAY", "HL", SAD, RAY)},
    {MIX("SAD.FFT", "HL", SAD, FFT)},
    {MIX("QTC.HS", "HL", QTC, HS)},
    {MIX("QTC.RAY", "HL", QTC, RAY)},
    {MIX("QTC.FFT", "HL", QTC, FFT)},
    /* 26 to 39 */
    {MIX("BLK.3DS", "HM", BLK, TDS)},
    {MIX("GUPS.JPEG", "HM", GUPS, JPEG)},
    {MIX("GUPS.3DS", "HM", GUPS, TDS)},
    {MIX("SAD.3DS", "HM", SAD, TDS)},
    {MIX("BLK.LIB", "HM", BLK, LIB)},
    {MIX("BLK.LPS", "HM", BLK, LPS)},
    {MIX("BLK.SRAD", "HM", BLK, SRAD)},
    {MIX("GUPS.LPS", "HM", GUPS, LPS)},
    {MIX("GUPS.SRAD", "HM", GUPS, SRAD)},
    {MIX("SAD.JPEG", "HM", SAD, JPEG)},
    {MIX("SAD.LIB", "HM", SAD, LIB)},
    {MIX("SAD.SRAD", "HM", SAD, SRAD)},
    {MIX("QTC.JPEG", "HM", QTC, JPEG)},
    {MIX("QTC.LPS", "HM", QTC, LPS)},
    /* 40 to 45 */
    {MIX("GUPS.SAD", "HH", GUPS, SAD)},
    {MIX("QTC.BLK", "HH", QTC, BLK)},
    {MIX("SAD.QTC", "HH", SAD, QTC)},
    {MIX("GUPS.QTC", "HH", GUPS, QTC)},
    {MIX("GUPS.BLK", "HH", GUPS, BLK)},
    {MIX("SAD.BLK", "HH", SAD, BLK)},
    /* 46 to 59: VII-F, the paper has 14 and the text names none */
    {MIX("GUPS.MM.HS", "3", GUPS, MM, HS), FIFTEEN},
    {MIX("BLK.3DS.FFT", "3", BLK, TDS, FFT), FIFTEEN},
    {MIX("SAD.MM.RAY", "3", SAD, MM, RAY), FIFTEEN},
    {MIX("GUPS.JPEG.LPS", "3", GUPS, JPEG, LPS), FIFTEEN},
    {MIX("SAD.3DS.HS", "3", SAD, TDS, HS), FIFTEEN},
    {MIX("BLK.SRAD.MM", "3", BLK, SRAD, MM), FIFTEEN},
    {MIX("GUPS.SAD.FFT", "3", GUPS, SAD, FFT), FIFTEEN},
    {MIX("GUPS.MM.HS.FFT", "4", GUPS, MM, HS, FFT)},
    {MIX("BLK.3DS.RAY.LPS", "4", BLK, TDS, RAY, LPS)},
    {MIX("SAD.MM.JPEG.HS", "4", SAD, MM, JPEG, HS)},
    {MIX("GUPS.JPEG.SRAD.RAY", "4", GUPS, JPEG, SRAD, RAY)},
    {MIX("BLK.LIB.FFT.HS", "4", BLK, LIB, FFT, HS)},
    {MIX("SAD.3DS.LPS.MM", "4", SAD, TDS, LPS, MM)},
    {MIX("GUPS.SAD.HS.FFT", "4", GUPS, SAD, HS, FFT)},
    {0},
};
