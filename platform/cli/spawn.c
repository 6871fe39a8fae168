/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

extern char **environ;

int spawn_start(char *const argv[], int fd, int *reader)
{
    int pair[2];
    if (pipe2(pair, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    pid_t pid = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, pair[1], fd);
    if (fd != STDOUT_FILENO) /* that is for our own results */
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT); /* ignored in the children of tasks_run */
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int failed = posix_spawn(&pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(pair[1]);
    if (failed) {
        close(pair[0]);
        errno = failed;
        return -1;
    }
    *reader = pair[0];
    return pid;
}

int spawn_wait(int pid)
{
    int status = 0;
    bool told = false;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (cli_stop && !told)
            told = kill(pid, SIGTERM) == 0;
        poll(NULL, 0, 2);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
