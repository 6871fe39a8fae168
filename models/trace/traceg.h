/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_TRACE_TRACEG_H
#define MP_TRACE_TRACEG_H

#include <stdint.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Called before each kernel file is read: its index, how many there are, and its path. */
typedef void traceg_progress(void *self, uint32_t kernel, uint32_t kernels, const char *path);

/* Converts a recording of Accel-Sim's NVBit tracer, `kernelslist` (kernelslist.g) and the .traceg or
 * .traceg.xz files it names, to the GWT trace `out`. progress may be NULL. 0, or -1 with err filled
 * ("FILE:LINE: WHAT; WHAT IS ALLOWED") and no file made. What of the recording is kept is described in
 * models/trace/README.md. */
int traceg_import(const char *kernelslist, const char *out, traceg_progress *progress, void *self,
                  struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
