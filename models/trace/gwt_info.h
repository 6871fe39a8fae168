/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MP_TRACE_GWT_INFO_H
#define MP_TRACE_GWT_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a C++ name as in the source, which the caller frees, or NULL if it is not a mangled name. */
typedef char *gwt_demangle_fn(const char *name);

/* Prints the contents of the trace at path: kernels, accesses, lines and pages per access, footprint. The
 * output is a table, in which names are shortened, or one JSON document. demangle may be NULL. Returns 0,
 * or -1 with err filled and nothing printed. */
int gwt_info(const char *path, bool json, gwt_demangle_fn *demangle, FILE *out, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
