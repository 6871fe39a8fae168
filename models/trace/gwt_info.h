/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_TRACE_GWT_INFO_H
#define MP_TRACE_GWT_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A C++ name as in the source, to be freed; NULL: it is none. */
typedef char *gwt_demangle_fn(const char *name);

/* Prints what the trace at path holds: kernels, accesses, lines and pages per access, footprint. As a table,
 * in which names are shortened, or as one JSON document. demangle may be NULL. 0, or -1 with err filled and
 * nothing printed. */
int gwt_info(const char *path, bool json, gwt_demangle_fn *demangle, FILE *out, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
