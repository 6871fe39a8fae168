/* SPDX-License-Identifier: Apache-2.0 */
/* `mempath record`: hands over to the recorder, which is a program of its own because it loads compiled
 * kernels. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cache.h"
#include "cli/cli.h"

int cmd_record(struct cli *cli, int argc, char **argv)
{
    char *recorder = cache_recorder();
    (void)cli;
    (void)argc;
    argv[0] = recorder;
    execv(recorder, argv);
    int code =
        cli_fail(CLI_FAILED, "%s: cannot be run: %s; it is built beside mempath", recorder, strerror(errno));
    free(recorder);
    return code;
}
