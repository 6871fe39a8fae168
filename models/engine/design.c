/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/design.h"

#include <inttypes.h>
#include <string.h>

#include "engine/number.h"

int mp_design_find(const struct mp_design *const *list, const char *name)
{
    for (int i = 0; list[i]; i++)
        if (!strcmp(list[i]->name, name))
            return i;
    return -1;
}

static bool has(const void *design, size_t offset)
{
    void (*function)(void);
    memcpy(&function, (const char *)design + offset, sizeof function);
    return function;
}

const struct mp_design_need *mp_design_lacks(const struct mp_design_kind *kind, const void *design)
{
    for (const struct mp_design_need *n = kind->needs; n->name; n++)
        if (!has(design, n->offset) && (!n->with || has(design, n->with_offset)))
            return n;
    return NULL;
}

bool mp_design_add_name(char names[MP_DESIGN_NAMES], const char *name)
{
    size_t used = strlen(names);
    if (used + strlen(name) + 2 > MP_DESIGN_NAMES)
        return false;
    snprintf(names + used, MP_DESIGN_NAMES - used, "|%s", name);
    return true;
}

unsigned mp_design_nparams(const struct mp_design *design)
{
    unsigned n = 0;
    while (design->params && design->params[n].name)
        n++;
    return n;
}

const char *mp_design_param_name(const struct mp_design_param *param)
{
    const char *dot = strrchr(param->name, '.');
    return dot ? dot + 1 : param->name;
}

int mp_design_param_find(const struct mp_design *design, const char *name, size_t length)
{
    for (unsigned i = 0; i < mp_design_nparams(design); i++) {
        const char *own = mp_design_param_name(&design->params[i]);
        if (strlen(own) == length && !memcmp(own, name, length))
            return (int)i;
    }
    return -1;
}

struct mp_design_values mp_design_defaults(const struct mp_design *design)
{
    struct mp_design_values values = {{0}};
    for (unsigned i = 0; i < mp_design_nparams(design); i++)
        values.v[i] = design->params[i].usual;
    return values;
}

/* Position of a word in "first|second", or -1. */
static int find_word(const char *words, const char *text, size_t length)
{
    for (int i = 0;; i++) {
        size_t n = strcspn(words, "|");
        if (n == length && !memcmp(words, text, n))
            return i;
        if (!words[n])
            return -1;
        words += n + 1;
    }
}

static int read_word(const struct mp_design_param *p, const char *words, const char *text, size_t length,
                     uint64_t *value, struct mp_error *err)
{
    int word = find_word(words, text, length);
    if (word < 0)
        return mp_fail(err, "%s: '%.*s' is no choice; %s", mp_design_param_name(p),
                       length < 32 ? (int)length : 32, text, words);
    *value = (uint64_t)word;
    return 0;
}

static const char *wrong_number(const struct mp_design_param *p, uint64_t value, uint64_t least,
                                uint64_t most)
{
    bool power = !(value & (value - 1));
    if (value < least)
        return "is too small";
    if (value > most)
        return "is too large";
    return power || !(p->flags & MP_DESIGN_POWER_OF_TWO) ? NULL : "is not a power of two";
}

int mp_design_read(const struct mp_design_param *p, const char *text, size_t length, uint64_t *value,
                   struct mp_error *err)
{
    if (p->choices || !p->unit)
        return read_word(p, p->choices ? p->choices : "false|true", text, length, value, err);
    const char *wrong = mp_number(text, length, p->least, p->most, value);
    if (!wrong)
        wrong = wrong_number(p, *value, p->least, p->most);
    if (!wrong)
        return 0;
    return mp_fail(err, "%s: '%.*s' %s; %" PRIu64 " to %" PRIu64, mp_design_param_name(p),
                   length < 32 ? (int)length : 32, text, wrong, p->least, p->most);
}

static uint64_t last_word(const char *words)
{
    uint64_t n = 0;
    while ((words = strchr(words, '|'))) {
        words++;
        n++;
    }
    return n;
}

int mp_design_check(const struct mp_design *design, const struct mp_design_values *values,
                    struct mp_error *err)
{
    for (unsigned i = 0; i < mp_design_nparams(design); i++) {
        const struct mp_design_param *p = &design->params[i];
        bool number = p->unit && !p->choices;
        uint64_t least = number ? p->least : 0;
        uint64_t most = number ? p->most : last_word(p->choices ? p->choices : "false|true");
        const char *wrong = wrong_number(p, values->v[i], least, most);
        if (wrong)
            return mp_fail(err, "%s: %" PRIu64 " %s; %" PRIu64 " to %" PRIu64, mp_design_param_name(p),
                           values->v[i], wrong, least, most);
    }
    return 0;
}
