/* SPDX-License-Identifier: Apache-2.0 */
#include "../device.h"

extern const struct app app_atax, app_bicg, app_fft, app_bfs, app_st, app_fir, app_pr, app_mt, app_nw,
    app_conv;

const struct app *const apps[] = {&app_atax, &app_bicg, &app_fft, &app_bfs,  &app_st, &app_fir,
                                  &app_pr,   &app_mt,   &app_nw,  &app_conv, NULL};
