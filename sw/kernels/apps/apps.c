/* SPDX-License-Identifier: Apache-2.0 */
#include "../device.h"

/* The STAR paper's Table II, then the DWS paper's, then what MESC, NeiDty and Fractional GPUs add; then
 * applications of today, of no paper. */
extern const struct app app_atax, app_bicg, app_fft, app_bfs, app_st, app_fir, app_pr, app_mt, app_nw,
    app_conv;
extern const struct app app_mm, app_hs, app_ray, app_fft256, app_lps, app_jpeg, app_lib, app_srad, app_3ds,
    app_blk, app_qtc, app_sad, app_gups;
extern const struct app app_corr, app_covar, app_gmv, app_grm, app_mvt, app_2dconv, app_color, app_mis,
    app_sssp, app_bc, app_pagerank, app_lud, app_adi;
extern const struct app app_mms, app_sn, app_va, app_sp, app_fwt, app_cfd, app_alexnet;
extern const struct app app_decode, app_embed, app_moe, app_gnn, app_join, app_prefill, app_gemm, app_spmm,
    app_serve;

const struct app *const apps[] = {
    &app_atax,    &app_bicg,     &app_fft,     &app_bfs,    &app_st,     &app_fir,    &app_pr,   &app_mt,
    &app_nw,      &app_conv,     &app_mm,      &app_hs,     &app_ray,    &app_fft256, &app_lps,  &app_jpeg,
    &app_lib,     &app_srad,     &app_3ds,     &app_blk,    &app_qtc,    &app_sad,    &app_gups, &app_corr,
    &app_covar,   &app_gmv,      &app_grm,     &app_mvt,    &app_2dconv, &app_color,  &app_mis,  &app_sssp,
    &app_bc,      &app_pagerank, &app_lud,     &app_adi,    &app_mms,    &app_sn,     &app_va,   &app_sp,
    &app_fwt,     &app_cfd,      &app_alexnet, &app_decode, &app_embed,  &app_moe,    &app_gnn,  &app_join,
    &app_prefill, &app_gemm,     &app_spmm,    &app_serve,  NULL};
