/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled kernels of all applications, NULL-terminated; a module's name is its folder under apps/. */
#ifndef MP_RECORDER_MODULES_H
#define MP_RECORDER_MODULES_H

#include <stddef.h>

#include "module.h"

extern const struct record_module *const record_modules[];

#endif
