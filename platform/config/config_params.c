/* SPDX-License-Identifier: Apache-2.0 */
/* params.def as tables, and what is asked of them. */
#include <string.h>
#include <threads.h>

#include "config/config_internal.h"

/* A section's name reaches the rows through the macro argument itself: U becomes `{ "sm" "." ROW_U`, and
 * ROW_U then meets the parameter's own arguments. That keeps params.def free of the section's name in each
 * line. */
#define ROW_U(field, unit, def, min, max, source, description)                                               \
#field, "number", unit, source, description, NULL, def, min, max                                         \
    }                                                                                                        \
    ,
#define ROW_B(field, def, source, description)                                                               \
#field, "bool", NULL, source, description, NULL, def, 0, 1                                               \
    }                                                                                                        \
    ,
#define ROW_E(field, def, choices, source, description)                                                      \
#field, "choice", NULL, source, description, choices, def, 0, 0                                          \
    }                                                                                                        \
    ,
#define ROWS(section, PARAMS, title) PARAMS({ #section "." ROW_U, { #section "." ROW_B, { #section "." ROW_E)

/* clang-format off */
const struct mp_param mp_params[] = {MP_SECTIONS(ROWS)};
/* clang-format on */
const unsigned mp_nparams = MP_NPARAMS;

/* Where each parameter lies in struct mp_config, in the same order: an address inside `blank`. */
static const struct mp_config blank;

#define ADDRESS(field, ...) field,
#define ADDRESSES(section, PARAMS, title)                                                                    \
    PARAMS(&blank.section.ADDRESS, &blank.section.ADDRESS, &blank.section.ADDRESS)

/* clang-format off */
static const void *const address[] = {MP_SECTIONS(ADDRESSES)};
/* clang-format on */

static size_t offset(unsigned i)
{
    return (size_t)((const char *)address[i] - (const char *)&blank);
}

enum mp_kind mp_param_kind(unsigned i)
{
    return mp_params[i].choices ? MP_CHOICE : mp_params[i].unit ? MP_NUMBER : MP_BOOL;
}

uint64_t mp_param_get(const struct mp_config *config, unsigned i)
{
    const char *at = (const char *)config + offset(i);
    switch (mp_param_kind(i)) {
    case MP_BOOL:
        return *(const bool *)at;
    case MP_CHOICE:
        return *(const uint32_t *)at;
    default:
        return *(const uint64_t *)at;
    }
}

void mp_param_put(struct mp_config *config, unsigned i, uint64_t value)
{
    char *at = (char *)config + offset(i);
    switch (mp_param_kind(i)) {
    case MP_BOOL:
        *(bool *)at = value != 0;
        break;
    case MP_CHOICE:
        *(uint32_t *)at = (uint32_t)value;
        break;
    default:
        *(uint64_t *)at = value;
    }
}

unsigned mp_param_find(const char *path)
{
    unsigned i = 0;
    while (i < MP_NPARAMS && strcmp(mp_params[i].path, path) != 0)
        i++;
    return i;
}

/* The lists of choices cut into words, once: callers get strings that live as long as the program. */
#define MAX_CHOICES 32u
static struct {
    char text[256];
    const char *word[MAX_CHOICES];
} choices[MP_NPARAMS];

static void cut_choices(void)
{
    for (unsigned i = 0; i < MP_NPARAMS; i++) {
        if (!mp_params[i].choices)
            continue;
        char *rest = choices[i].text;
        strncpy(rest, mp_params[i].choices, sizeof choices[i].text - 1);
        for (unsigned n = 0; n < MAX_CHOICES && rest; n++)
            choices[i].word[n] = strsep(&rest, "|");
    }
}

const char *mp_param_choice(unsigned i, uint64_t value)
{
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, cut_choices);
    return value < MAX_CHOICES ? choices[i].word[value] : NULL;
}

const char *mp_choice(const char *path, uint32_t value)
{
    unsigned i = mp_param_find(path);
    return i < MP_NPARAMS ? mp_param_choice(i, value) : NULL;
}

void mp_param_allowed(unsigned i, char *buffer, size_t size)
{
    const struct mp_param *p = &mp_params[i];
    FILE *f = fmemopen(buffer, size, "w");
    if (!f)
        return;
    if (mp_param_kind(i) == MP_BOOL)
        fprintf(f, "true or false");
    else if (mp_param_kind(i) == MP_CHOICE)
        for (unsigned c = 0; mp_param_choice(i, c); c++)
            fprintf(f, "%s%s",
                    c == 0                      ? ""
                    : mp_param_choice(i, c + 1) ? ", "
                                                : " or ",
                    mp_param_choice(i, c));
    else
        fprintf(f, "%ju to %ju (%s%s)", (uintmax_t)p->min, (uintmax_t)p->max, p->unit,
                strcmp(p->unit, "B") == 0 ? "; KiB, MiB, GiB" : "");
    fclose(f);
}

const char *mp_param_nearest(const char *path)
{
    static const char *const others[] = {"name",
                                         "description",
                                         "preset",
                                         "seed",
                                         "tenants",
                                         "tenants.0.app",
                                         "tenants.0.size",
                                         "tenants.0.input",
                                         "tenants.0.trace",
                                         "tenants.0.slices"};
    const char *best = NULL, *last = strrchr(path, '.');
    unsigned least = ~0u;
    for (unsigned i = 0; i < MP_NPARAMS; i++) {
        const char *known = mp_params[i].path, *field = strrchr(known, '.');
        unsigned d = mp_edit_distance(path, known);
        if (strcmp(field + 1, last ? last + 1 : path) == 0 && d > 1)
            d = 2; /* the right name in the wrong section */
        if (d < least) {
            least = d;
            best = known;
        }
    }
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++) {
        unsigned d = mp_edit_distance(path, others[i]);
        if (d < least) {
            least = d;
            best = others[i];
        }
    }
    return best;
}
