/* SPDX-License-Identifier: Apache-2.0 */
/* The traces of the project's applications, recorded on first use and stored in
 * ${MEMPATH_CACHE:-${XDG_CACHE_HOME:-~/.cache}/mempath}/traces under a key of everything that determines
 * them. */
#ifndef MP_CLI_CACHE_H
#define MP_CLI_CACHE_H

#include "cli/cli.h"
#include "config/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets trace[c * MP_TENANTS + t] for tenant t of configuration c to the file that the tenant names, or to the
 * cached trace of its application, which is recorded first if it does not exist. The strings are malloc'ed.
 * Returns a cli_exit; on failure one line was printed. */
int cache_traces(const struct cli *cli, unsigned configs, const struct mp_config *const *config,
                 unsigned parallel, char **trace);

#ifdef __cplusplus
}
#endif
#endif
