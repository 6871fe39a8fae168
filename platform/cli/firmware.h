/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `mempath firmware`. */
#ifndef MP_CLI_FIRMWARE_H
#define MP_CLI_FIRMWARE_H

#include "cli/cli.h"

/* Registers whose block, name or text has pattern; NULL: all. */
int firmware_list_registers(const struct cli *cli, const char *pattern);
/* All as a document, models/soc/REGISTERS.md; all to the database. */
int firmware_document_registers(void);
int firmware_record_registers(const struct cli *cli);

#define FIRMWARE_ADDRESSES 64u
/* Function and source line of each address of an executable. */
int firmware_where(const struct cli *cli, const char *elf, unsigned addresses, const char *const *address);

#endif
