/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel file of Accel-Sim's NVBit tracer: .trace as the tracer writes it, .traceg with its instructions
 * grouped by warp, either of them packed by gzip, xz or zstd, or .tracez. */
#ifndef MP_TRACE_TRACEG_PARSE_H
#define MP_TRACE_TRACEG_PARSE_H

#include "trace/import_item.h"

import_parser traceg_parse;

#endif
