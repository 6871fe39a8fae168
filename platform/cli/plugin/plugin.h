/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins: designs of the user's, which the option --plugin adds to the lists of the program, and modules. */
#ifndef MP_CLI_PLUGIN_H
#define MP_CLI_PLUGIN_H

#include "db/db.h"
#include "engine/design.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_plugin;

#define PLUGIN_MOST        8u
#define PLUGIN_WORD        32u /* bytes of a name */
#define PLUGIN_MOST_VALUES 64u /* parameters of all designs of all plugins */

/* Loads a plugin and adds its designs. Call it before anything reads the list of parameters. Loading a file
 * again does nothing. -1 with "--plugin FILE: WHAT; WHAT IS ALLOWED" in err: the command ends, since
 * some designs may have been added. */
int plugin_load(const char *file, struct mp_error *err);

/* Loads the plugins of all options --plugin in argv, which ends with NULL. */
int plugin_options(char **argv, struct mp_error *err);

/* Whether a new design may have this name. */
int plugin_check_name(const char *name, struct mp_error *err);

/* The plugins that were loaded, in their order. */
const struct mp_db_plugin *plugin_list(unsigned *count);

/* What they define, in the same order; ends with NULL. */
const struct mp_plugin *const *plugin_contents(void);

/* The name of the first one without designs, of which only runs make use; NULL if there is none. */
const char *plugin_modules_only(void);

/* All kinds of designs; ends with NULL. */
extern const struct mp_design_kind *const plugin_kinds[];

#ifdef __cplusplus
}
#endif
#endif
