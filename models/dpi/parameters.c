/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "dpi/dpi.h"
#include "engine/number.h"

#define BLANKS " \t\r\n"
#define SHOWN  32 /* number of characters quoted from wrong input */

/* The input, shortened and without characters that cannot be printed. */
static const char *show(const char *text, size_t length, char shown[SHOWN + 1])
{
    size_t n = length < SHOWN ? length : SHOWN;
    for (size_t i = 0; i < n; i++)
        shown[i] = (char)(isprint((unsigned char)text[i]) ? text[i] : '?');
    shown[n] = 0;
    return shown;
}

/* Formats names by number as "A, B or C". */
static void join(char *text, size_t size, const char *(*name)(unsigned number, const void *of),
                 const void *of)
{
    size_t at = 0;
    text[0] = 0;
    for (unsigned i = 0; name(i, of) && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s",
                               !i                ? ""
                               : name(i + 1, of) ? ", "
                                                 : " or ",
                               name(i, of));
}

/* The names of all parameters: those of the table, then the design's own. */
struct names {
    const struct dpi_parameter *table;
    const struct mp_design *design;
};

static const char *parameter_name(unsigned number, const void *of)
{
    const struct names *names = of;
    unsigned i = 0;
    while (i < number && names->table[i].name)
        i++;
    if (names->table[i].name)
        return names->table[i].name;
    return number - i < mp_design_nparams(names->design)
               ? mp_design_param_name(&names->design->params[number - i])
               : NULL;
}

/* ---- a value ---- */

static int number(const struct dpi_parameter *p, const char *text, size_t length, uint64_t *out,
                  struct mp_error *err)
{
    char shown[SHOWN + 1];
    const char *wrong = mp_number(text, length, p->least, p->most, out);
    if (wrong)
        return mp_fail(err, "%s: '%s' %s; %" PRIu64 " to %" PRIu64, p->name, show(text, length, shown), wrong,
                       p->least, p->most);
    if (p->form == DPI_POWER_OF_TWO && (*out & (*out - 1)))
        return mp_fail(err, "%s: %" PRIu64 " is not a power of two; %" PRIu64 " to %" PRIu64, p->name, *out,
                       p->least, p->most);
    return 0;
}

static int word(const struct dpi_parameter *p, const char *text, size_t length, uint64_t *out,
                struct mp_error *err)
{
    char shown[SHOWN + 1];
    const char *at = p->words;
    for (uint64_t i = 0;; i++) {
        size_t n = strcspn(at, "|");
        if (n == length && !memcmp(at, text, n)) {
            *out = i;
            return 0;
        }
        if (!at[n])
            return mp_fail(err, "%s: '%s' is no choice; %s", p->name, show(text, length, shown), p->words);
        at += n + 1;
    }
}

static int list(const struct dpi_parameter *p, const char *text, size_t length, struct dpi_values *v,
                struct mp_error *err)
{
    const char *end = text + length;
    for (v->listed = 0;; v->listed++) {
        size_t n = 0;
        uint64_t value = 0;
        while (text + n < end && text[n] != ',')
            n++;
        if (v->listed == DPI_LIST)
            return mp_fail(err, "%s: more than %u; at most %u", p->name, DPI_LIST, DPI_LIST);
        if (number(p, text, n, &value, err))
            return -1;
        v->list[v->listed] = (uint32_t)value;
        if (text + n == end) {
            v->listed++;
            return 0;
        }
        text += n + 1;
    }
}

/* ---- the list of parameters ---- */

static int given_before(const char *name, bool *given, struct mp_error *err)
{
    if (*given)
        return mp_fail(err, "%s: given twice; give it once", name);
    *given = true;
    return 0;
}

static int set_own(const struct mp_design *design, unsigned i, const char *value, size_t length,
                   struct dpi_values *v, struct mp_error *err)
{
    const struct mp_design_param *p = &design->params[i];
    if (!value)
        return mp_fail(err, "%s: no value; %s=VALUE", mp_design_param_name(p), mp_design_param_name(p));
    if (given_before(mp_design_param_name(p), &v->given_own[i], err))
        return -1;
    return mp_design_read(p, value, length, &v->own.v[i], err);
}

static int set(const struct names *all, const char *text, size_t length, struct dpi_values *v,
               struct mp_error *err)
{
    const struct dpi_parameter *table = all->table;
    char shown[SHOWN + 1], names[512];
    const char *value = memchr(text, '=', length);
    size_t n = value ? (size_t)(value - text) : length;
    unsigned i = 0;
    while (table[i].name && (strlen(table[i].name) != n || memcmp(table[i].name, text, n)))
        i++;
    int own = mp_design_param_find(all->design, text, n);
    if (!table[i].name && own >= 0)
        return set_own(all->design, (unsigned)own, value ? value + 1 : NULL, value ? length - n - 1 : 0, v,
                       err);
    if (!table[i].name) {
        join(names, sizeof names, parameter_name, all);
        return mp_fail(err, "parameters: no parameter '%s'; %s", show(text, n, shown), names);
    }
    const struct dpi_parameter *p = &table[i];
    if (!value)
        return mp_fail(err, "%s: no value; %s=VALUE", p->name, p->name);
    if (given_before(p->name, &v->given[i], err))
        return -1;
    value++;
    n = length - n - 1;
    switch (p->form) {
    case DPI_WORD:
        return word(p, value, n, &v->value[i], err);
    case DPI_LIST_OF_NUMBERS:
        return list(p, value, n, v, err);
    default:
        return number(p, value, n, &v->value[i], err);
    }
}

int dpi_parse(const char *text, const struct dpi_parameter *table, const struct mp_design *design,
              struct dpi_values *v, struct mp_error *err)
{
    const struct names all = {table, design};
    *v = (struct dpi_values){.own = mp_design_defaults(design)};
    for (unsigned i = 0; table[i].name; i++)
        v->value[i] = table[i].usual;
    if (!text)
        return 0;
    for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS)) {
        size_t n = strcspn(text, BLANKS);
        if (set(&all, text, n, v, err))
            return -1;
        text += n;
    }
    return 0;
}

static const char *policy_name(unsigned number, const void *of)
{
    const char *(*const *name)(unsigned) = of;
    return (*name)(number);
}

void dpi_names(char *text, size_t size, const char *(*name)(unsigned number))
{
    join(text, size, policy_name, &name);
}

int dpi_no_policy(const char *policy, const char *(*name)(unsigned number), struct mp_error *err)
{
    char shown[SHOWN + 1], names[256];
    dpi_names(names, sizeof names, name);
    return mp_fail(err, "policy: no policy '%s'; %s", policy ? show(policy, strlen(policy), shown) : "",
                   names);
}
