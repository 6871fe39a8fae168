/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a user's file of OpenCL C or CUDA C++ at run time: clang, mempath-kernelc, a shared object,
 * dlopen. */
#ifndef MP_RECORDER_COMPILE_H
#define MP_RECORDER_COMPILE_H

#include <stdbool.h>

#include "engine/error.h"
#include "module.h"

struct launched {
    const char **kernel;
    unsigned n;
    const char *inline_limit; /* instructions from which on calls are kept; NULL: as many as compile fast */
};

/* flag: -D and -I for clang. The module has only the kernels that are launched, and nothing else of the file
 * is refused unless clang refuses it. The module stays loaded. If it fails, err holds the first complaint. */
int compile_kernels(const struct record_module **out, const char *path, bool cuda, char *const *flag,
                    unsigned nflags, const struct launched *launched, struct mp_error *err);

#endif
