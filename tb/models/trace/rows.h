/* SPDX-License-Identifier: Apache-2.0 */
/* Imports of small files, and a trace's rows. */
#ifndef TB_ROWS_H
#define TB_ROWS_H

#include <stdlib.h>

#include "trace/import.h"

void put_text(const char *path, const char *text);
/* lanes and memory as in import_options. */
int import_rows(const char *from, const char *to, uint32_t lanes, size_t memory, struct mp_error *err);
/* The trace as trace dump --csv prints it; the caller frees it. */
char *dumped(const char *trace);

#endif
