/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of designs in expected messages: a mark such as "@walk_scheduler@" stands for the names of the
 * designs of a list, "a, b or c". So a message stays right when a design is added. */
#ifndef MP_TB_NAMES_H
#define MP_TB_NAMES_H

#include <stdio.h>
#include <string.h>

#include "engine/design.h"

struct names {
    const char *mark;
    const struct mp_design *const *designs;
    unsigned place; /* of mp_design_fits(); 0: all */
};

/* "a, b or c" */
static inline size_t names_write(const struct names *n, char *text, size_t size)
{
    const struct mp_design *fitting[64];
    unsigned count = 0;
    size_t length = 0;
    for (unsigned i = 0; n->designs[i]; i++)
        if (!n->place || mp_design_fits(n->designs[i], n->place))
            fitting[count++] = n->designs[i];
    for (unsigned i = 0; i < count; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s",
                                   !i              ? ""
                                   : i + 1 < count ? ", "
                                                   : " or ",
                                   fitting[i]->name);
    return length;
}

/* The message with its marks replaced, in `text`. names: ends with a NULL mark. */
static inline const char *names_expand(const char *message, const struct names *names, char *text,
                                       size_t size)
{
    size_t length = 0;
    while (*message) {
        const struct names *n = names;
        while (n->mark && strncmp(message, n->mark, strlen(n->mark)) != 0)
            n++;
        if (n->mark) {
            length += names_write(n, text + length, size - length);
            message += strlen(n->mark);
        } else {
            text[length++] = *message++;
        }
    }
    text[length] = '\0';
    return text;
}

#endif
