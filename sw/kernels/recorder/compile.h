/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a user's OpenCL C file at run time: clang, mempath-kernelc, a shared object, dlopen. */
#ifndef MP_RECORDER_COMPILE_H
#define MP_RECORDER_COMPILE_H

#include "engine/error.h"
#include "module.h"

/* flag: -D and -I for clang. The module stays loaded. If it fails, err holds clang's first complaint. */
int compile_kernels(const struct record_module **out, const char *path, char *const *flag, unsigned nflags,
                    struct mp_error *err);

#endif
