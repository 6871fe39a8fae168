/* SPDX-License-Identifier: Apache-2.0 */
/* The manual page and the completion for bash, made from the commands' tables of options and help texts. */
#ifndef MP_CLI_MANUAL_H
#define MP_CLI_MANUAL_H

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the manual page in mdoc. overview: the text of `mempath help`. */
void manual_page(struct cli *cli, const char *overview);

/* Prints the functions that bash calls to complete a command line. */
void manual_completion(struct cli *cli);

/* Has every command call help() instead of printing its help. */
void manual_each(struct cli *cli, void (*help)(struct cli *cli, const struct cli_usage *usage));
/* To be called by help(): the same for each block of a command that has blocks. */
void manual_each_block(struct cli *cli, const struct cli_usage *usage);

#ifdef __cplusplus
}
#endif
#endif
