/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of graphs by Graphviz. */
#ifndef MP_CLI_GRAPH_H
#define MP_CLI_GRAPH_H

#include <stdio.h>

#include "cli/cli.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GRAPH_FORMS ".svg, .png, .pdf or .dot"

/* "svg" of machine.svg; NULL if no picture has such a name. */
const char *graph_form(const char *file);
/* Writes text for a label of Graphviz in HTML. */
void graph_text(FILE *f, const char *text);
/* Writes the picture whole or not at all, as the file's name ends: draw() writes the graph. Returns a
 * cli_exit; the reason of a failure, which names the option, has been printed. */
int graph_write(const char *option, const char *file, void (*draw)(const void *context, FILE *f),
                const void *context);

#ifdef __cplusplus
}
#endif
#endif
