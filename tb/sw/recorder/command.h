/* SPDX-License-Identifier: Apache-2.0 */
/* Runs mempath-record (MEMPATH_RECORD) in a temporary folder. */
#ifndef COMMAND_H
#define COMMAND_H

/* For cmocka_run_group_tests: makes the folder; removes it, which fails if it has files that no test knows
 * of. */
int command_begin(void **state);
int command_end(void **state);

/* Runs it with these arguments (a shell line); returns its exit code, and the begin of its output. */
__attribute__((format(printf, 2, 3))) int run(char output[2048], const char *format, ...);
void path_in(char path[128], const char *name);
/* A file that is removed at the end. */
void write_file(const char *name, const char *text);
/* It must fail with that code and one line with that text, and leave no t.gwt. */
void refused(int code, const char *arguments, const char *says);

#endif
