/* SPDX-License-Identifier: Apache-2.0 */
/* Setting one value from a file or the command line, together with its origin. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/internal.h"
#include "engine/number.h"

/* A number of units of 2^shift bytes with up to six decimals, such as the 6.25 of 6.25 MiB. */
static const char *read_part(const char *text, size_t length, unsigned shift, uint64_t *value)
{
    const char *point = memchr(text, '.', length);
    size_t whole = point ? (size_t)(point - text) : length, digits = point ? length - whole - 1 : 0;
    uint64_t part = 0, units = 1;
    const char *wrong = mp_number(text, whole, 0, (UINT64_MAX >> shift) - 1, value);
    if (!wrong && point)
        wrong = digits > 6 ? "has more than six decimals" : mp_number(point + 1, digits, 0, 999999, &part);
    if (wrong)
        return wrong;
    for (size_t i = 0; i < digits; i++)
        units *= 10;
    if ((part << shift) % units)
        return "is no whole number of bytes";
    *value = (*value << shift) + (part << shift) / units;
    return NULL;
}

const char *mp_read_number(const char *text, bool bytes, uint64_t least, uint64_t most, uint64_t *value)
{
    static const struct {
        const char *name;
        unsigned shift;
    } suffix[] = {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"B", 0}};
    size_t length = strlen(text), n;
    unsigned shift = 0;
    for (unsigned i = 0; bytes && i < sizeof suffix / sizeof suffix[0]; i++) {
        n = strlen(suffix[i].name);
        if (length <= n || strcmp(text + length - n, suffix[i].name) != 0)
            continue;
        shift = suffix[i].shift;
        length -= n;
        while (length > 1 && text[length - 1] == ' ')
            length--;
        break;
    }
    const char *wrong =
        shift ? read_part(text, length, shift, value) : mp_number(text, length, 0, UINT64_MAX, value);
    if (wrong)
        return wrong;
    return *value > most ? "is too large" : *value < least ? "is too small" : NULL;
}

/* Reads the text as a value of parameter i. Returns NULL, or what is wrong. */
static const char *read_param(const struct mp_config *config, unsigned i, const char *text, uint64_t *value)
{
    const struct mp_param param = mp_config_param(config, i), *p = &param;
    unsigned row = mp_param_row(config, i);
    switch (mp_param_kind(row)) {
    case MP_BOOL:
        *value = strcmp(text, "true") == 0;
        return *value || strcmp(text, "false") == 0 ? NULL : "is neither true nor false";
    case MP_CHOICE:
        for (*value = 0; mp_param_choice(row, *value); ++*value)
            if (strcmp(text, mp_param_choice(row, *value)) == 0)
                return NULL;
        return "is no choice";
    default:
        break;
    }
    const char *wrong = mp_read_number(text, strcmp(p->unit, "B") == 0, p->min, p->max, value);
    bool power = !(p->flags & MP_DESIGN_POWER_OF_TWO) || (*value & (*value - 1)) == 0;
    return wrong || power ? wrong : "is not a power of two";
}

int mp_set_param(struct mp_settings *settings, unsigned i, const char *text, struct mp_origin origin,
                 struct mp_error *err)
{
    uint64_t value;
    const char *wrong = read_param(settings->config, i, text, &value);
    if (wrong) {
        char allowed[256] = "";
        mp_param_allowed(mp_param_row(settings->config, i), allowed, sizeof allowed);
        return mp_fail_at(err, &origin, "%s = '%.60s' %s; %s", mp_config_param(settings->config, i).path,
                          text, wrong, allowed);
    }
    mp_param_put(settings->config, i, value);
    settings->param[i] = origin;
    return 0;
}

int mp_set_seed(struct mp_settings *settings, const char *text, struct mp_origin origin, struct mp_error *err)
{
    const char *wrong = mp_read_number(text, false, 0, UINT64_MAX, &settings->config->seed);
    return wrong ? mp_fail_at(err, &origin, "seed = '%.60s' %s; 0 to %ju", text, wrong, (uintmax_t)UINT64_MAX)
                 : 0;
}

/* Returns the length of the UTF-8 character at s. Returns 0 if it is not a valid character, or a control
 * character other than the end of a line. */
static unsigned character(const unsigned char *s)
{
    if (s[0] < 0x80)
        return s[0] == '\n' || s[0] == '\t' || (s[0] >= 0x20 && s[0] != 0x7f);
    unsigned n = s[0] >= 0xf5 ? 0 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
    for (unsigned i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    uint32_t code = n == 2   ? (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu)
                    : n == 3 ? (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu)
                    : n == 4 ? (s[0] & 7u) << 18 | (s[1] & 0x3fu) << 12 | (s[2] & 0x3fu) << 6 | (s[3] & 0x3fu)
                             : 0;
    bool shortest = code >= (n == 2 ? 0x80u : n == 3 ? 0x800u : 0x10000u);
    bool printable = code >= 0xa0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) &&
                     code != 0x2028 && code != 0x2029 && code != 0xfeff && code != 0xfffe && code != 0xffff;
    return shortest && printable ? n : 0;
}

/* Only characters that YAML can represent are accepted, so that the effective configuration reads back the
 * same. */
int mp_set_string(char **string, const char *what, const char *text, struct mp_origin origin,
                  struct mp_error *err)
{
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        unsigned n = character(s);
        if (!n)
            return mp_fail_at(err, &origin, "%s holds a byte 0x%02x that is not printable UTF-8; UTF-8 text",
                              what, *s);
        s += n;
    }
    char *copy = *text ? strdup(text) : NULL;
    if (*text && !copy)
        return mp_fail_at(err, &origin, "out of memory; a smaller file is needed");
    free(*string);
    *string = copy;
    return 0;
}

void mp_tenant_clear(struct mp_tenant_config *tenant)
{
    free(tenant->app);
    free(tenant->size);
    free(tenant->input);
    free(tenant->trace);
    free(tenant->page_bytes);
    *tenant = (struct mp_tenant_config){0};
}

/* Clears a field that an earlier file or override set. */
static void replace(struct mp_settings *settings, unsigned tenant, unsigned field, char **string,
                    unsigned rank)
{
    struct mp_origin *origin = &settings->tenant[tenant][field];
    if (origin->rank >= rank)
        return;
    free(*string);
    *string = NULL;
    *origin = (struct mp_origin){0};
}

/* A file name is stored as an absolute path, so that a stored configuration runs from any folder. */
static int set_path(const struct mp_settings *settings, char **string, const char *what, const char *text,
                    struct mp_origin origin, struct mp_error *err)
{
    char *path = NULL;
    if (!settings->folder || !*text || *text == '/')
        return mp_set_string(string, what, text, origin, err);
    text += strncmp(text, "./", 2) == 0 ? 2 : 0;
    if (asprintf(&path, "%s/%s", strcmp(settings->folder, "/") ? settings->folder : "", text) < 0)
        return mp_fail_at(err, &origin, "out of memory; a smaller file is needed");
    int status = mp_set_string(string, what, path, origin, err);
    free(path);
    return status;
}

int mp_set_tenant(struct mp_settings *settings, unsigned tenant, unsigned field, const char *text,
                  struct mp_origin origin, struct mp_error *err)
{
    struct mp_tenant_config *t = &settings->config->tenant[tenant];
    char **const string[] = {&t->app, &t->size, &t->input, &t->trace};
    char what[32];
    snprintf(what, sizeof what, "tenants.%u.%s", tenant, mp_tenant_field_name[field]);
    settings->tenant[tenant][field] = origin;
    const bool external = field == MP_TENANT_APP && strcasecmp(text, MP_EXTERNAL) == 0;
    if (*text && field == MP_TENANT_APP)
        replace(settings, tenant, MP_TENANT_TRACE, &t->trace, origin.rank);
    for (unsigned f = MP_TENANT_APP; *text && (external || field == MP_TENANT_TRACE) && f < MP_TENANT_TRACE;
         f++)
        if (f != field)
            replace(settings, tenant, f, string[f], origin.rank);
    if (field == MP_TENANT_PAGES)
        return mp_set_pages(&t->page_bytes, what, text, origin, err);
    if (field == MP_TENANT_INPUT || field == MP_TENANT_TRACE)
        return set_path(settings, string[field], what, text, origin, err);
    if (field < MP_TENANT_SLICES && mp_set_string(string[field], what, text, origin, err))
        return -1;
    /* The recorder takes an application's name in any case. A configuration has one text, and one hash. */
    for (char *c = t->app; field == MP_TENANT_APP && c && *c; c++)
        *c = (char)toupper((unsigned char)*c);
    if (field < MP_TENANT_SLICES)
        return 0;
    if (field == MP_TENANT_MANAGED) {
        t->managed = !strcmp(text, "true");
        return t->managed || !strcmp(text, "false")
                   ? 0
                   : mp_fail_at(err, &origin, "%s = '%.60s' is neither true nor false; true or false", what,
                                text);
    }
    static const char *const allowed[] = {"1, 2, 3, 4 or 7 (GPC slices)", "SMs, under machine.sharing = mps",
                                          "colours of pages, with vm.frames = coloured"};
    uint64_t *const number[] = {&t->slices, &t->sms, &t->colours};
    const unsigned k = field - MP_TENANT_SLICES;
    const char *wrong = mp_read_number(text, false, 0, UINT64_MAX, number[k]);
    return wrong ? mp_fail_at(err, &origin, "%s = '%.60s' %s; %s", what, text, wrong, allowed[k]) : 0;
}

/* "tenants.N.field", or "tenants.field" for all tenants. If N is one past the last, it adds a tenant. */
static int override_tenant(struct mp_settings *settings, const char *path, const char *value,
                           struct mp_origin origin, struct mp_error *err)
{
    unsigned *n = &settings->config->ntenants, first = 0, last = *n, field = 0;
    const char *rest = path + strlen("tenants.");
    if (isdigit((unsigned char)*rest)) {
        char *end;
        unsigned long number = strtoul(rest, &end, 10); /* ULONG_MAX if it is larger */
        unsigned most = *n < MP_TENANTS ? *n : MP_TENANTS - 1;
        if (*end != '.')
            return mp_fail_at(err, &origin,
                              "no field after the tenant; %.*s.app, .size, .input, .trace, .page_bytes, "
                              ".slices, .sms, .colours or .managed",
                              (int)(end - path), path);
        if (number > most)
            return mp_fail_at(err, &origin, "no tenant %.*s; 0 to %u", (int)(end - rest), rest, most);
        first = (unsigned)number;
        last = first + 1;
        rest = end + 1;
    }
    while (field < MP_TENANT_FIELDS && strcmp(rest, mp_tenant_field_name[field]) != 0)
        field++;
    if (field == MP_TENANT_FIELDS)
        return mp_fail_at(
            err, &origin,
            "a tenant has no '%.60s'; app, size, input, trace, page_bytes, slices, sms, colours or managed",
            rest);
    if (first == last)
        return mp_fail_at(err, &origin, "there are no tenants; start with tenants.0.%s", rest);
    if (last > *n)
        *n = last;
    for (unsigned i = first; i < last; i++)
        if (mp_set_tenant(settings, i, field, value, origin, err))
            return -1;
    return 0;
}

int mp_set_override(struct mp_settings *settings, const char *text, struct mp_origin origin,
                    struct mp_error *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return mp_fail_at(err, &origin, "no 'path=value'; such as l2_tlb.entries=256");
    char path[128];
    size_t length = (size_t)(equals - text);
    snprintf(path, sizeof path, "%.*s", (int)(length < sizeof path ? length : sizeof path - 1), text);
    const char *value = equals + 1;
    unsigned i = mp_config_find(settings->config, path);
    if (i < mp_config_nparams(settings->config))
        return mp_set_param(settings, i, value, origin, err);
    if (mp_old_find(path) < MP_OLD_PARAMS)
        return mp_set_old(settings, mp_old_find(path), value, origin, err);
    if (strcmp(path, "seed") == 0)
        return mp_set_seed(settings, value, origin, err);
    if (strcmp(path, "name") == 0)
        return mp_set_string(&settings->config->name, path, value, origin, err);
    if (strcmp(path, "description") == 0)
        return mp_set_string(&settings->config->description, path, value, origin, err);
    if (strncmp(path, "tenants.", 8) == 0)
        return override_tenant(settings, path, value, origin, err);
    if (strcmp(path, "preset") == 0)
        return mp_fail_at(err, &origin,
                          "preset can only be set in a file; set a section.field or tenants.N.field");
    return mp_fail_at(err, &origin, "unknown parameter %s; nearest is %s", path,
                      mp_param_nearest(settings->config, path));
}
