/* SPDX-License-Identifier: Apache-2.0 */
/* Starting other programs and reading what they print. */
#ifndef MP_CLI_SPAWN_H
#define MP_CLI_SPAWN_H

#ifdef __cplusplus
extern "C" {
#endif

/* The path of a file in the folder of this program; malloc'ed. */
char *spawn_beside(const char *file);

/* Starts argv[0], a path or a name to search in PATH. *reader reads what it writes to its descriptor fd (1 or
 * 2). Returns its process id, or -1 with errno set. */
int spawn_start(char *const argv[], int fd, int *reader);

/* Starts argv[0] in a folder (NULL: this one), without input. *reader reads what it writes to stdout and
 * stderr. Returns its process id, or -1 with errno set. */
int spawn_tool(char *const argv[], const char *folder, int *reader);

/* Waits for a process and returns its exit code, 128 + signal if it was killed. Asks it to end when cli_stop
 * is set. */
int spawn_wait(int pid);

#ifdef __cplusplus
}
#endif
#endif
