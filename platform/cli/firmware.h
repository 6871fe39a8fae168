/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `mempath firmware`. */
#ifndef MP_CLI_FIRMWARE_H
#define MP_CLI_FIRMWARE_H

#include "cli/cli.h"

/* Registers whose block, name or text has pattern; NULL: all. */
int firmware_list_registers(const struct cli *cli, const char *pattern);

#define FIRMWARE_ADDRESSES 64u
/* Function and source line of each address of an executable. */
int firmware_where(const struct cli *cli, const char *elf, unsigned addresses, const char *const *address);

#endif
