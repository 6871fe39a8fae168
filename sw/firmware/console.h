/* SPDX-License-Identifier: Apache-2.0 */
/* A command line on the UART: `help` lists what there is. */
#ifndef FW_CONSOLE_H
#define FW_CONSOLE_H

#include <stdbool.h>

/* Runs one command; the line is changed. */
void console_run(char *line);

/* One typed character: echoed, edited (backspace), and at the end of a line its command is run. False after
 * `quit`. */
bool console_type(char c);

/* A prompt, and then commands until `quit`. */
void console_serve(void);

#endif
