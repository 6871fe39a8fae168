/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"

extern char **environ;

char *spawn_beside(const char *file)
{
    char self[PATH_MAX], *path = NULL;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0; /* dirname("") is "." */
    return cli_have(asprintf(&path, "%s/%s", dirname(self), file) < 0 ? NULL : path);
}

/* Returns the process id, or -1 with errno set; destroys the actions. */
static int start(char *const argv[], posix_spawn_file_actions_t *actions)
{
    posix_spawnattr_t attributes;
    sigset_t defaults;
    pid_t pid = -1;
    posix_spawnattr_init(&attributes);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT); /* ignored in the children of tasks_run */
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int failed = posix_spawnp(&pid, argv[0], actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(actions);
    posix_spawnattr_destroy(&attributes);
    errno = failed;
    return failed ? -1 : pid;
}

/* Closes our copy of the child's end and, if there is no child, the other end. */
static int started(int pid, const int pair[2], int *reader)
{
    int why = errno;
    close(pair[1]);
    if (pid < 0)
        close(pair[0]);
    errno = why;
    *reader = pair[0];
    return pid;
}

int spawn_start(char *const argv[], int fd, int *reader)
{
    int pair[2];
    if (pipe2(pair, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pair[1], fd);
    if (fd != STDOUT_FILENO) /* stdout is for our own results */
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    return started(start(argv, &actions), pair, reader);
}

int spawn_tool(char *const argv[], const char *folder, int *reader)
{
    int pair[2];
    if (pipe2(pair, O_CLOEXEC))
        return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pair[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pair[1], STDERR_FILENO);
    if (folder)
        posix_spawn_file_actions_addchdir_np(&actions, folder);
    return started(start(argv, &actions), pair, reader);
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
