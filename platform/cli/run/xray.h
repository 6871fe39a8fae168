/* SPDX-License-Identifier: Apache-2.0 */
/* X-rays of a run (models/gpu/xray.h) as text, JSON and pictures. */
#ifndef MP_CLI_XRAY_H
#define MP_CLI_XRAY_H

#include <stdio.h>

#include "engine/error.h"
#include "gpu/xray.h"

#ifdef __cplusplus
extern "C" {
#endif

struct xray_about {
    const char *name, *why; /* why: the run is stuck; or NULL */
    int64_t run;
    const char *again; /* the command that runs it again to this cycle */
};

#define XRAY_ALL UINT32_MAX

/* most: rows of blocks, of requests and of links that are printed, at most. */
void xray_text(const struct mp_xray_report *r, const struct xray_about *about, uint32_t most, FILE *f);
void xray_json(const struct mp_xray_report *r, const struct xray_about *about, FILE *f);
/* The blocks that the oldest requests pass, and which block waits for which, as a graph for Graphviz. */
void xray_draw(const struct mp_xray_report *r, const struct xray_about *about, FILE *f);

/* Whether an X-ray can be written to a file of that name. -1 with a reason. */
int xray_check(const char *file, struct mp_error *err);
/* Writes it whole or not at all, as the file's name ends. Returns a cli_exit; the reason of a failure has
 * been printed. */
int xray_write(const struct mp_xray_report *r, const struct xray_about *about, const char *file);

#ifdef __cplusplus
}
#endif
#endif
