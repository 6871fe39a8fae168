/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of 32 (cl_qcom_extra_vector_types). clang has names for elements up to .sf only. */
#ifndef MP_RECORDER_WIDE_H
#define MP_RECORDER_WIDE_H

#include <stdbool.h>

/* A file that names the extension is copied, with elements .sg to .sv written as .hi.s0 to .hi.sf and with
 * the lines of the original. Returns false if it does not name the extension, or if the copy cannot be
 * written. */
bool wide_copy(const char *path, const char *copy);

#endif
