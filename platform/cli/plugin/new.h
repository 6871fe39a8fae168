/* SPDX-License-Identifier: Apache-2.0 */
/* The files of folder new/, which are part of the program. */
#ifndef MP_CLI_PLUGIN_NEW_H
#define MP_CLI_PLUGIN_NEW_H

struct plugin_file {
    const char *name, *text;
};

extern const struct plugin_file plugin_files[]; /* ends with a NULL name */

#endif
