/* SPDX-License-Identifier: Apache-2.0 */
/* The container .tracez of Accel-Sim 2.0: a kernel's header, a zstd dictionary, the instructions of each warp
 * in frames, and an index of thread blocks and warps at the end. */
#ifndef MP_TRACE_TRACEZ_H
#define MP_TRACE_TRACEZ_H

#include "trace/import_file.h"

/* Sets up f->read so that it reads the text that the same recording has as a .traceg file. */
int tracez_begin(struct import_file *f, struct mp_error *err);
bool tracez_is(const struct import_file *f);

#endif
