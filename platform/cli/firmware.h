/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `mempath firmware`. */
#ifndef MP_CLI_FIRMWARE_H
#define MP_CLI_FIRMWARE_H

#include "cli/cli.h"
#include "db/db.h"
#include "soc/run.h"

/* Registers whose block, name or text has pattern; NULL: all. */
int firmware_list_registers(const struct cli *cli, const char *pattern);
/* All as a document, models/soc/REGISTERS.md; all to the database. */
int firmware_document_registers(void);
int firmware_record_registers(const struct cli *cli);

/* Opens the database and makes the run's row; program: app and size of each workload. -1 with err, and there
 * is no row. */
int firmware_record_begin(const struct cli *cli, const struct mp_soc_run *run,
                          const struct mp_tenant_config *program, struct mp_db **db, struct mp_error *err);
/* Ends it and closes the database. result: NULL when there is none; why: what went wrong, or NULL. */
int firmware_record_end(struct mp_db *db, const struct mp_soc_result *result, const char *why,
                        struct mp_error *err);

#define FIRMWARE_ADDRESSES 64u
/* Function and source line of each address of an executable. */
int firmware_where(const struct cli *cli, const char *elf, unsigned addresses, const char *const *address);

#endif
