/* SPDX-License-Identifier: Apache-2.0 */
#include "wide.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file as a string, or NULL. Free the result. */
static char *contents(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = fopen(path, "r");
    if (f && getdelim(&text, &size, 0, f) < 0) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    return text;
}

/* The number in the upper half of the element that is named here, or -1. */
static int upper_element(const char *at)
{
    const bool one = at[0] == '.' && at[1] == 's' && at[2] >= 'g' && at[2] <= 'v';
    return one && !isalnum((unsigned char)at[3]) && at[3] != '_' ? at[2] - 'g' : -1;
}

static void rewrite(const char *text, FILE *out)
{
    bool quoted = false, escaped = false;
    for (const char *at = text; *at; at++) {
        const int element = quoted ? -1 : upper_element(at);
        const bool quote = *at == '"' && !escaped;
        quoted = *at != '\n' && quoted != quote;
        escaped = *at == '\\' && !escaped;
        if (element < 0) {
            fputc(*at, out);
        } else {
            fprintf(out, ".hi.s%x", (unsigned)element);
            at += 2;
        }
    }
}

bool wide_copy(const char *path, const char *copy)
{
    char *text = contents(path);
    FILE *out = text && strstr(text, "cl_qcom_extra_vector_types") ? fopen(copy, "w") : NULL;
    if (out) {
        fprintf(out, "#line 1 \"%s\"\n", path);
        rewrite(text, out);
    }
    free(text);
    return out && fclose(out) == 0;
}
