/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/task.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/progress.h"

enum kind { PROGRESS, TEXT, LAST_TEXT, ANSWER };

struct message {
    uint64_t kind, bytes;
    unsigned char data[TASK_ANSWER_BYTES];
};
_Static_assert(sizeof(struct progress_state) <= TASK_ANSWER_BYTES, "progress is one message");

static void send_message(int channel, enum kind kind, const void *data, size_t bytes)
{
    struct message m = {.kind = kind, .bytes = bytes < sizeof m.data ? bytes : sizeof m.data};
    memcpy(m.data, data, m.bytes);
    (void)!send(channel, &m, offsetof(struct message, data) + m.bytes, MSG_NOSIGNAL);
}

void task_state(int channel, const struct progress_state *state)
{
    send_message(channel, PROGRESS, state, sizeof *state);
}

void task_progress(int channel, uint64_t done, uint64_t total)
{
    struct progress_state state = {.all = {done, total}};
    task_state(channel, &state);
}

void task_print(int channel, const char *text)
{
    size_t bytes = strlen(text);
    for (; bytes > TASK_ANSWER_BYTES; bytes -= TASK_ANSWER_BYTES, text += TASK_ANSWER_BYTES)
        send_message(channel, TEXT, text, TASK_ANSWER_BYTES);
    send_message(channel, LAST_TEXT, text, bytes);
}

void task_answer(int channel, const void *answer, size_t bytes)
{
    send_message(channel, ANSWER, answer, bytes);
}

/* Ctrl-C reaches the whole group; only the parent handles it, and forwards it once as SIGTERM. */
static void child_stop(int signal_number)
{
    (void)signal_number;
    cli_stop = 1;
}

static void start(struct task *t, struct progress *p)
{
    int pair[2];
    fflush(NULL);
    t->started = true;
    t->exit_code = CLI_FAILED;
    t->pid = -1;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
        cli_fail(CLI_FAILED, "%s: no channel to a child process: %s", t->label, strerror(errno));
        return;
    }
    int parent = getpid();
    t->pid = fork();
    if (t->pid == 0) {
        struct sigaction action = {.sa_handler = child_stop};
        sigaction(SIGTERM, &action, NULL);
        signal(SIGINT, SIG_IGN);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) /* the child died before it answered */
            _exit(CLI_FAILED);
        close(pair[0]);
        int code = t->child(t, pair[1]);
        fflush(NULL);
        _exit(code);
    }
    close(pair[1]);
    t->channel = pair[0];
    t->process = t->pid;
    if (t->pid < 0) {
        cli_fail(CLI_FAILED, "%s: no child process: %s", t->label, strerror(errno));
        close(pair[0]);
        return;
    }
    t->line = progress_start(p, t->label, t->seconds);
}

/* Texts of several children are not mixed: each is printed when it is complete. */
static void take_text(struct task *t, struct progress *p, const struct message *m)
{
    t->text = cli_have(realloc(t->text, t->text_bytes + m->bytes + 1));
    memcpy(t->text + t->text_bytes, m->data, m->bytes);
    t->text_bytes += m->bytes;
    if (m->kind == TEXT)
        return;
    progress_end(p);
    fwrite(t->text, 1, t->text_bytes, stderr);
    t->text_bytes = 0;
}

/* False if the child has closed its end. */
static bool receive(struct task *t, struct progress *p)
{
    struct message m;
    struct progress_state state;
    ssize_t got = recv(t->channel, &m, sizeof m, 0);
    if (got < 0 && errno == EINTR)
        return true;
    if (got <= 0)
        return false;
    switch ((enum kind)m.kind) {
    case PROGRESS:
        memcpy(&state, m.data, sizeof state);
        progress_set(p, t->line, &state);
        break;
    case TEXT:
    case LAST_TEXT:
        take_text(t, p, &m);
        break;
    case ANSWER:
        memcpy(t->answer, m.data, m.bytes < sizeof t->answer ? m.bytes : sizeof t->answer);
        t->answered = true;
        break;
    }
    return true;
}

static void finish(struct task *t, struct progress *p)
{
    int status = 0;
    struct rusage usage = {0};
    while (wait4(t->pid, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    t->peak_bytes = (uint64_t)usage.ru_maxrss * 1024;
    t->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    close(t->channel);
    free(t->text);
    t->text = NULL;
    t->text_bytes = 0;
    t->pid = -1;
    progress_finish(p, t->line);
    if (t->ended) {
        progress_end(p);
        t->ended(t);
    }
}

unsigned tasks_run(const struct cli *cli, const char *unit, struct task *tasks, unsigned count,
                   unsigned parallel)
{
    struct progress p;
    double seconds = 0;
    for (unsigned i = 0; i < count; i++)
        seconds += tasks[i].seconds;
    progress_begin(&p, cli, unit, count, seconds);
    parallel = parallel < PROGRESS_LINES ? parallel : PROGRESS_LINES;
    unsigned next = 0, good = 0;
    bool told = false;
    int looked = cli_look;
    for (;;) {
        struct pollfd fds[PROGRESS_LINES];
        struct task *active[PROGRESS_LINES];
        unsigned n = 0;
        for (unsigned i = 0; i < next && n < PROGRESS_LINES; i++) {
            if (tasks[i].pid > 0) {
                fds[n] = (struct pollfd){.fd = tasks[i].channel, .events = POLLIN};
                active[n++] = &tasks[i];
            }
        }
        if (n < parallel && next < count && !cli_stop) {
            start(&tasks[next++], &p);
            continue;
        }
        if (!n)
            break;
        if (cli_stop && !told) {
            told = true;
            for (unsigned i = 0; i < n; i++)
                kill(active[i]->pid, SIGTERM);
        }
        if (cli_look != looked) {
            looked = cli_look;
            for (unsigned i = 0; i < n; i++)
                kill(active[i]->pid, SIGUSR1);
        }
        if (poll(fds, n, 200) < 0)
            memset(fds, 0, sizeof fds); /* a signal: check cli_stop first */
        for (unsigned i = 0; i < n; i++) {
            if (fds[i].revents && !receive(active[i], &p)) {
                finish(active[i], &p);
                good += active[i]->exit_code == 0;
            }
        }
        progress_draw(&p);
    }
    progress_end(&p);
    return good;
}
