/* SPDX-License-Identifier: Apache-2.0 */
/* Warp accesses as comma-separated values, one row for each event of a warp; models/trace/README.md has the
 * columns. */
#ifndef MP_TRACE_ACCESS_CSV_H
#define MP_TRACE_ACCESS_CSV_H

#include "trace/import_item.h"

import_parser access_csv_parse;

#endif
