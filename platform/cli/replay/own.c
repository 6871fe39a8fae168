/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that a design brings, as --set NAME=VALUE, and what a design's check complains of. */
#include <string.h>

#include "cli/replay/block.h"

int replay_own_add(struct replay_own *own, const char *name, size_t length, const char *value,
                   struct mp_error *err)
{
    if (own->n == REPLAY_OWN)
        return mp_fail(err, "--set: more than %u values; one for each parameter", REPLAY_OWN);
    own->set[own->n++] = (struct replay_set){name, length, value};
    return 0;
}

int replay_own_set(struct replay_own *own, const char *text, struct mp_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return mp_fail(err, "--set: '%.60s' is not NAME=VALUE; a parameter of the policy, such as depth=4",
                       text);
    return replay_own_add(own, text, (size_t)(equals - text), equals + 1, err);
}

static int fail_unknown(const struct argp_option *options, const struct mp_design *design, const char *name,
                        size_t length, struct mp_error *err)
{
    struct mp_error why;
    char names[256] = "none";
    size_t n = 0;
    for (unsigned i = 0; i < mp_design_nparams(design) && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "",
                              mp_design_param_name(&design->params[i]));
    mp_fail(&why, "%.*s: %s has no such parameter; %s", length < 60 ? (int)length : 60, name, design->name,
            names);
    return replay_fail_design(options, &why, err);
}

int replay_own_values(const struct replay_own *own, const struct argp_option *options,
                      const struct mp_design *design, struct mp_design_values *values, struct mp_error *err)
{
    *values = mp_design_defaults(design);
    for (unsigned k = 0; k < own->n; k++) {
        const struct replay_set *s = &own->set[k];
        int i = mp_design_param_find(design, s->name, s->length);
        struct mp_error why;
        if (i < 0)
            return fail_unknown(options, design, s->name, s->length, err);
        if (mp_design_read(&design->params[i], s->value, strlen(s->value), &values->v[i], &why))
            return replay_fail_design(options, &why, err);
    }
    return 0;
}

int replay_fail_design(const struct argp_option *options, const struct mp_error *why, struct mp_error *err)
{
    char name[64];
    size_t length = strcspn(why->text, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, why->text);
    for (char *c = name; *c; c++)
        *c = *c == '_' ? '-' : *c;
    for (; options->name; options++)
        if (!strcmp(options->name, name))
            return mp_fail(err, "--%s%s", name, why->text + length);
    return mp_fail(err, "--set %s", why->text);
}

void replay_print_design(FILE *f, const struct mp_design *design)
{
    fprintf(f, "  %-20s %s\n", design->name, design->title);
    for (unsigned i = 0; i < mp_design_nparams(design); i++) {
        const struct mp_design_param *p = &design->params[i];
        if (p->choices)
            fprintf(f, "    %s=%s: %s\n", mp_design_param_name(p), p->choices, p->text);
        else
            fprintf(f, "    %s=%ju (%ju to %ju): %s\n", mp_design_param_name(p), (uintmax_t)p->usual,
                    (uintmax_t)p->least, (uintmax_t)p->most, p->text);
    }
}
