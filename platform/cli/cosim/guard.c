/* SPDX-License-Identifier: Apache-2.0 */
/* Runs Verilated RTL, ours or a foreign block, in a separate process: a crash or an endless loop is a
 * verdict, too. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/cosim/cosim.h"
#include "cli/progress.h"

#define LOOK_NS 20000000L /* how often the number of the transaction in flight is read */

static const char *signal_text(int signal)
{
    switch (signal) {
    case SIGSEGV:
        return "segmentation fault";
    case SIGABRT:
        return "abort";
    case SIGFPE:
        return "arithmetic exception";
    case SIGILL:
        return "illegal instruction";
    default:
        return strsignal(signal);
    }
}

/* Forwards a signal: the terminal sends SIGINT to the child as well, but `kill` does not. */
static void pass_on(pid_t child, bool *passed)
{
    if (cli_stop && !*passed)
        kill(child, SIGTERM);
    *passed = cli_stop;
}

/* Waits for the child. True: one transaction took too long, and the child was killed. */
static bool watch(pid_t child, const volatile uint64_t *pulse, unsigned patience, int *status)
{
    const struct timespec look = {.tv_nsec = LOOK_NS};
    uint64_t last = *pulse;
    double since = progress_now();
    bool passed = false, hung = false;
    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return hung;
        nanosleep(&look, NULL);
        pass_on(child, &passed);
        if (*pulse != last) {
            last = *pulse;
            since = progress_now();
        } else if (last && progress_now() - since > patience) {
            hung = true;
            kill(child, SIGKILL);
        }
    }
}

/* status: the child's, unless it hung. */
static int verdict(const struct cli *cli, const struct cosim_job *job, bool hung, int status, double seconds)
{
    struct cosim_outcome o = {
        .end = hung ? COSIM_HUNG : COSIM_CRASHED, .seconds = seconds, .transactions = *job->setup.pulse};
    if (hung)
        snprintf(o.difference, sizeof o.difference, "the RTL did not come back within %u s (--patience)",
                 job->patience);
    else if (WIFSIGNALED(status))
        snprintf(o.difference, sizeof o.difference, "the RTL crashed (%s)", signal_text(WTERMSIG(status)));
    else
        snprintf(o.difference, sizeof o.difference, "the RTL ended the process (exit code %d)",
                 WEXITSTATUS(status));
    o.replay = cosim_replay(job, o.transactions);
    int code = cosim_finish(cli, job, &o);
    cosim_outcome_free(&o);
    return code;
}

int cosim_guarded(const struct cli *cli, struct cosim_job *job,
                  int (*run)(const struct cli *cli, const struct cosim_job *job))
{
    struct shared {
        volatile uint64_t pulse;
        volatile bool done; /* the child has finished */
    } *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        cli_have(NULL);
    job->setup.pulse = &shared->pulse;
    cli_catch_signals();
    fflush(stdout);
    double start = progress_now();
    pid_t child = fork();
    if (child < 0)
        return cli_fail(CLI_FAILED, "cosim: cannot start a process: %s", strerror(errno));
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int code = run(cli, job);
        shared->done = true;
        exit(code);
    }
    int status = 0;
    bool hung = watch(child, &shared->pulse, job->patience, &status);
    if (hung || !shared->done)
        return verdict(cli, job, hung, status, progress_now() - start);
    return WEXITSTATUS(status);
}
