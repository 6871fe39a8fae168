/* SPDX-License-Identifier: Apache-2.0 */
/* The user's cache, ${MEMPATH_CACHE:-${XDG_CACHE_HOME:-~/.cache}/mempath}. In its folder traces, the traces
 * of the project's applications, recorded on first use, under a key of everything that determines them. In
 * its folder checked, records of traces that had no flaw (gwt_open_known). */
#ifndef MP_CLI_CACHE_H
#define MP_CLI_CACHE_H

#include <limits.h>

#include "cli/cli.h"
#include "config/config.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CACHE_FOLDER (PATH_MAX - 512u) /* bytes of a folder's path; names of files follow */

/* The path of a folder of the cache, which is made if it does not exist. */
int cache_folder(char folder[CACHE_FOLDER], const char *name, struct mp_error *err);

/* Sets trace[c * MP_TENANTS + t] for tenant t of configuration c to the file that the tenant names, or to the
 * cached trace of its application, which is recorded first if it does not exist. The strings are malloc'ed.
 * Returns a cli_exit; on failure one line was printed. */
int cache_traces(const struct cli *cli, unsigned configs, const struct mp_config *const *config,
                 unsigned parallel, char **trace);

/* The same without recording: NULL for a trace that is not recorded yet. */
int cache_find(const struct cli *cli, unsigned configs, const struct mp_config *const *config, char **trace);

#ifdef __cplusplus
}
#endif
#endif
