/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_TRACE_GWT_INFO_H
#define MP_TRACE_GWT_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints what the trace at path holds: kernels, accesses, lines and pages per access, footprint. As a table,
 * or as one JSON document. 0, or -1 with err filled and nothing printed. */
int gwt_info(const char *path, bool json, FILE *out, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
