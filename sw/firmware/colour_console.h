/* SPDX-License-Identifier: Apache-2.0 */
/* The console's commands for page colours: `colour` and a second word. */
#ifndef FW_COLOUR_CONSOLE_H
#define FW_COLOUR_CONSOLE_H

#include <stdint.h>

#include "error.h"

/* Each takes the numbers of its line; their count is as the console's table says. */
enum fw_error colour_cmd_functions(unsigned n, const uint64_t *mask);
enum fw_error colour_cmd_find(unsigned n, const uint64_t *l2_bytes);
enum fw_error colour_cmd_plan(unsigned n, const uint64_t *share);
enum fw_error colour_cmd_move(unsigned n, const uint64_t *space);
enum fw_error colour_cmd_pages(unsigned n, const uint64_t *unused);
enum fw_error colour_cmd_isolation(unsigned n, const uint64_t *spaces_and_workloads);

#endif
