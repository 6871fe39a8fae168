/* SPDX-License-Identifier: Apache-2.0 */
/* A command line on the UART; `help` lists the commands. */
#ifndef FW_CONSOLE_H
#define FW_CONSOLE_H

#include <stdbool.h>

/* Runs one command; modifies the line. */
void console_run(char *line);

/* Handles one typed character: echoes it, edits the line (backspace), and runs the command at the end of a
 * line. Returns false after `quit`. */
bool console_type(char c);

/* Prints a prompt and runs commands until `quit`. */
void console_serve(void);

#endif
