/* SPDX-License-Identifier: Apache-2.0 */
/* Memory traces of MGPUSim (Akita's memory tracer): lines "start, SECONDS, LOCATION, ID, WHAT, 0xADDRESS,
 * BYTES". They do not know wavefronts: each location, such as a vector cache, becomes a work-group of one
 * warp, which issues its transactions one lane each, as many instructions apart as they were nanoseconds. */
#ifndef MP_TRACE_MGPUSIM_H
#define MP_TRACE_MGPUSIM_H

#include "trace/import_item.h"

import_parser mgpusim_parse;

bool mgpusim_is(const char *line); /* Whether it is a line of such a trace. */

#endif
