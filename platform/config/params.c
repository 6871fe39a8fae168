/* SPDX-License-Identifier: Apache-2.0 */
/* The table of parameters: the rows of params.def, those of kinds of blocks, and those of designs. */
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "config/internal.h"
#include "gpu/machine.h"
#include "map/map.h"
#include "tlb/neighbour/neighbour.h"
#include "uvm/uvm.h"

/* ---- the rows of params.def ---- */

struct row {
    struct mp_param param;
    const struct mp_design *const
        *designs;      /* the designs that can be chosen here; NULL if it chooses no design */
    unsigned place;    /* place of the choice, as for mp_design_fits */
    const char *usual; /* name of the default design */
};

/* A section's name reaches the rows through the macro argument itself: U becomes `{ "sm" "." ROW_U`, and
 * ROW_U then takes the parameter's own arguments. So params.def need not repeat the section's name in each
 * line. */
#define ROW_U(field, unit, def, min, max, source, description)                                               \
#field, "number", unit, source, description, NULL, def, min, max, 0                                      \
    }                                                                                                        \
    , NULL, 0, NULL                                                                                          \
    }                                                                                                        \
    ,
#define ROW_B(field, def, source, description)                                                               \
#field, "bool", NULL, source, description, NULL, def, 0, 1, 0                                            \
    }                                                                                                        \
    , NULL, 0, NULL                                                                                          \
    }                                                                                                        \
    ,
#define ROW_E(field, def, choices, source, description)                                                      \
#field, "choice", NULL, source, description, choices, def, 0, 0, 0                                       \
    }                                                                                                        \
    , NULL, 0, NULL                                                                                          \
    }                                                                                                        \
    ,
#define ROW_D(field, kind, place, usual, source, description)                                                \
#field, "choice", NULL, source, description, "", 0, 0, 0, 0                                              \
    }                                                                                                        \
    , mp_##kind##_designs, place, usual                                                                      \
    }                                                                                                        \
    ,
#define ROWS(section, PARAMS, title)                                                                         \
    PARAMS({ { #section "." ROW_U, { { #section "." ROW_B, { { #section "." ROW_E, { { #section "." ROW_D)

#define NO_ROWS(level, title)

/* clang-format off */
static const struct row fixed[] = {MP_SECTIONS(ROWS, NO_ROWS)};
/* clang-format on */
#define NFIXED (sizeof fixed / sizeof *fixed)

/* The address in `blank`, a struct mp_config, of each of these parameters, in the same order. */
static const struct mp_config blank;

#define ADDRESS(field, ...) field,
#define ADDRESSES(section, PARAMS, title)                                                                    \
    PARAMS(&blank.section.ADDRESS, &blank.section.ADDRESS, &blank.section.ADDRESS, &blank.section.ADDRESS)

/* clang-format off */
static const void *const address[] = {MP_SECTIONS(ADDRESSES, NO_ROWS)};
/* clang-format on */

/* ---- the table ---- */

static struct mp_param table[MP_MOST_PARAMS];
static unsigned visible; /* number of rows that every configuration has; then follow those of kinds */
static unsigned more[4], mores[4]; /* first row of each kind of which levels can be added, and their number */
static unsigned count, nvalues;    /* number of rows, and number of those with a place in mp_config.value */
static size_t offset[MP_MOST_PARAMS]; /* offset in struct mp_config */

/* Strings of the table that are composed at run time. They live as long as the program. */
static struct composed {
    struct composed *next;
    char text[];
} * composed;

static char *join(const char *a, const char *between, const char *b)
{
    size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    struct composed *c = malloc(sizeof *c + size);
    if (!c)
        abort();
    snprintf(c->text, size, "%s%s%s", a, between, b);
    c->next = composed;
    composed = c;
    return c->text;
}

static void check_room(unsigned used, unsigned room, const char *name)
{
    if (used <= room)
        return;
    fprintf(stderr, "mempath: more than %u; %s is too small\n", room, name);
    abort();
}

static void add(struct mp_param param, size_t at)
{
    check_room(count + 1, MP_MOST_PARAMS, "MP_MOST_PARAMS");
    table[count] = param;
    offset[count++] = at;
}

static void add_value(struct mp_param param)
{
    if (visible) { /* of a kind: each level that is added has its own values */
        add(param, SIZE_MAX);
        return;
    }
    check_room(nvalues + 1, MP_MOST_VALUES, "MP_MOST_VALUES");
    add(param, offsetof(struct mp_config, value) + nvalues++ * sizeof blank.value[0]);
}

/* The names of the designs that can be chosen, and the position of the default. A default that is no design
 * comes first. */
static void set_choices(struct mp_param *param, const struct mp_design *const *designs, unsigned place,
                        const char *usual)
{
    const bool other = mp_design_find(designs, usual) < 0;
    char *names = other ? join(usual, "", "") : NULL;
    unsigned n = other;
    for (unsigned i = 0; designs[i]; i++) {
        if (!mp_design_fits(designs[i], place))
            continue;
        if (!strcmp(designs[i]->name, usual))
            param->def = n;
        names = join(n ? names : "", n ? "|" : "", designs[i]->name);
        n++;
    }
    param->choices = names ? names : "";
}

static void add_fixed(unsigned i)
{
    struct mp_param param = fixed[i].param;
    if (fixed[i].designs)
        set_choices(&param, fixed[i].designs, fixed[i].place, fixed[i].usual);
    add(param, (size_t)((const char *)address[i] - (const char *)&blank));
}

static struct mp_param param_of(const char *path, const struct mp_design_param *p)
{
    bool number = p->unit && !p->choices;
    return (struct mp_param){.path = path,
                             .type = number       ? "number"
                                     : p->choices ? "choice"
                                                  : "bool",
                             .unit = p->unit,
                             .source = p->source,
                             .description = p->text,
                             .choices = p->choices,
                             .def = p->usual,
                             .min = number ? p->least : 0,
                             .max = number       ? p->most
                                    : p->choices ? 0
                                                 : 1,
                             .flags = p->flags};
}

static void add_own(const char *path, const struct mp_design_param *p)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(table[i].path, path))
            return; /* several designs share it */
    add_value(param_of(path, p));
}

/* Position of a word in "first|second". */
static unsigned position(const char *words, const char *word)
{
    size_t n = strlen(word);
    unsigned i = 0;
    for (; strncmp(words, word, n) != 0 || (words[n] && words[n] != '|'); i++)
        words = strchr(words, '|') + 1;
    return i;
}

/* How many blocks of the level there are, and what its kind of block brings. */
static void add_level(const struct mp_level *level)
{
    if (level->per_choices)
        add_value((struct mp_param){.path = join(level->name, ".", "per"),
                                    .type = "choice",
                                    .source = level->per_source,
                                    .description = level->per_text,
                                    .choices = level->per_choices,
                                    .def = position(level->per_choices, mp_per_names[level->per])});
    for (unsigned i = 0; i < mp_block_nparams(level->kind); i++) {
        const struct mp_block_param *p = &level->kind->params[i];
        struct mp_param param = param_of(join(level->name, ".", p->row.name), &p->row);
        if (i < level->usuals)
            param.def = level->usual[i];
        if (p->designs)
            set_choices(&param, p->designs, level->place, p->usual);
        add_value(param);
    }
}

static size_t section_length(const char *path)
{
    return strcspn(path, ".");
}

static bool same_section(const char *a, const char *b)
{
    size_t n = section_length(a);
    return n == section_length(b) && !memcmp(a, b, n);
}

/* Adds the design's parameters in this section, or, if `own`, those in the section that the design adds. */
static void add_design(const struct mp_design *design, const char *section, bool own)
{
    for (const struct mp_design_param *p = design->params; p && p->name; p++)
        if ((*p->name != '.') == own)
            add_own(own ? join(design->name, ".", p->name) : join(section, "", p->name), p);
}

#define SECTION_NAME(section, PARAMS, title) #section,
#define LEVEL_NAME(level, title)             #level,
static const char *const sections[] = {MP_SECTIONS(SECTION_NAME, LEVEL_NAME)};
#define NSECTIONS (sizeof sections / sizeof *sections)

bool mp_config_has_key(const char *name)
{
    static const char *const others[] = {"name", "description", "preset", "seed", "tenants"};
    bool found = false;
    for (unsigned i = 0; i < NSECTIONS; i++)
        found |= !strcmp(sections[i], name);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        found |= !strcmp(others[i], name);
    return found;
}

/* Parameters that choose designs, in the order of the table. */
static struct choice {
    const struct mp_design *const *designs;
    unsigned section, place;
} choices[32];
static unsigned nchoices;

static void note_choice(const struct mp_design *const *designs, unsigned section, unsigned place)
{
    if (designs)
        choices[nchoices++] = (struct choice){designs, section, place};
}

static void find_choices(unsigned section)
{
    const struct mp_level *level = mp_machine_usual(sections[section]);
    for (unsigned i = 0; level && i < mp_block_nparams(level->kind); i++)
        note_choice(level->kind->params[i].designs, section, level->place);
    for (unsigned i = 0; i < NFIXED; i++)
        if (same_section(fixed[i].param.path, sections[section]))
            note_choice(fixed[i].designs, section, fixed[i].place);
}

static bool can_choose(const struct choice *c, const struct mp_design *design)
{
    int i = mp_design_find(c->designs, design->name);
    return i >= 0 && c->designs[i] == design && mp_design_fits(design, c->place);
}

/* The last section in which the design can be chosen. It has the parameters for all of them; a level that a
 * configuration adds has its own. */
static unsigned home_of(const struct mp_design *design)
{
    unsigned i = nchoices - 1;
    while (i && !can_choose(&choices[i], design))
        i--;
    return choices[i].section;
}

static void add_designs(unsigned section, bool own)
{
    for (unsigned i = 0; i < nchoices; i++)
        for (unsigned d = 0; choices[i].section == section && choices[i].designs[d]; d++)
            if (home_of(choices[i].designs[d]) == section)
                add_design(choices[i].designs[d], sections[section], own);
}

static void add_more(const struct mp_level *level)
{
    add_level(level);
    for (unsigned i = 0; i < mp_block_nparams(level->kind); i++)
        for (const struct mp_design *const *d = level->kind->params[i].designs; d && *d; d++)
            if (mp_design_fits(*d, level->place))
                add_design(*d, level->name, false);
}

/* The rows of a level's kind are first in its section, then those of params.def, then those that designs add.
 * Then follow the sections of the designs of which this section has the last choice. So the rows of each
 * section are contiguous. */
static void build(void)
{
    for (unsigned s = 0; s < NSECTIONS; s++)
        find_choices(s);
    for (unsigned s = 0; s < NSECTIONS; s++) {
        const struct mp_level *level = mp_machine_usual(sections[s]);
        if (level)
            add_level(level);
        for (unsigned i = 0; i < NFIXED; i++)
            if (same_section(fixed[i].param.path, sections[s]))
                add_fixed(i);
        add_designs(s, false);
        add_designs(s, true);
    }
    visible = count;
    for (unsigned k = 0; *mp_machine_more[k].name; k++) {
        more[k] = count;
        add_more(&mp_machine_more[k]);
        mores[k] = count - more[k];
        check_room(mores[k], MP_LEVEL_VALUES, "MP_LEVEL_VALUES");
    }
}

const char *mp_config_level_name(const struct mp_config *config, unsigned i)
{
    for (unsigned s = 0; s < NSECTIONS; s++)
        if (mp_machine_usual(sections[s]) && i-- == 0)
            return sections[s];
    return i < config->nlevels ? config->level[i].name : NULL;
}

static void prepare(void)
{
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, build);
}

unsigned mp_nparams(void)
{
    prepare();
    return visible;
}

/* The added level of parameter i, and which of its values it is; NULL if every configuration has it. */
static const struct mp_level_config *level_of(const struct mp_config *config, unsigned i, unsigned *value)
{
    if (i < mp_nparams())
        return NULL;
    *value = i - mp_nparams();
    const struct mp_level_config *l = config->level;
    for (; *value >= mores[l->kind]; l++)
        *value -= mores[l->kind];
    return l;
}

unsigned mp_config_nparams(const struct mp_config *config)
{
    unsigned n = mp_nparams();
    for (unsigned k = 0; k < config->nlevels; k++)
        n += mores[config->level[k].kind];
    return n;
}

unsigned mp_param_row(const struct mp_config *config, unsigned i)
{
    unsigned value;
    const struct mp_level_config *l = level_of(config, i, &value);
    return l ? more[l->kind] + value : i;
}

const char *mp_row_path(const struct mp_config *config, unsigned i)
{
    return table[mp_param_row(config, i)].path;
}

struct mp_param mp_config_param(const struct mp_config *config, unsigned i)
{
    unsigned value;
    const struct mp_level_config *l = level_of(config, i, &value);
    struct mp_param param = table[mp_param_row(config, i)];
    if (l)
        param.path = l->path[value];
    return param;
}

unsigned mp_config_find(const struct mp_config *config, const char *path)
{
    unsigned i = mp_param_find(path), n = mp_config_nparams(config);
    while (i < n && strcmp(mp_config_param(config, i).path, path) != 0)
        i++;
    return i;
}

const struct mp_param *mp_param(unsigned i)
{
    prepare();
    return &table[i];
}

struct mp_design_values mp_config_values(const struct mp_config *config, const struct mp_design *design)
{
    return mp_config_values_at(config, "", design);
}

struct mp_design_values mp_config_values_at(const struct mp_config *config, const char *section,
                                            const struct mp_design *design)
{
    struct mp_design_values values = {{0}};
    for (unsigned i = 0; i < mp_design_nparams(design); i++)
        values.v[i] = mp_param_get(config, mp_param_of_design(config, section, design, i));
    return values;
}

unsigned mp_param_of_design(const struct mp_config *config, const char *section,
                            const struct mp_design *design, unsigned i)
{
    const char *name = design->params[i].name, *dot = *name == '.' ? "" : ".";
    char path[128];
    prepare();
    if (*dot || !mp_config_added(config, section))
        section = *dot ? design->name : sections[home_of(design)];
    snprintf(path, sizeof path, "%s%s%s", section, dot, name);
    return mp_config_find(config, path);
}

/* ---- values ---- */

enum mp_kind mp_param_kind(unsigned row)
{
    prepare();
    const struct mp_param *p = &table[row];
    return p->choices ? MP_CHOICE : p->unit ? MP_NUMBER : MP_BOOL;
}

/* The values of parameters that blocks and designs define are uint64_t, whatever their meaning. */
static bool is_value(unsigned i)
{
    return offset[i] >= offsetof(struct mp_config, value) &&
           offset[i] < offsetof(struct mp_config, value) + sizeof blank.value;
}

uint64_t mp_param_get(const struct mp_config *config, unsigned i)
{
    unsigned value;
    const struct mp_level_config *l = level_of(config, i, &value);
    if (l)
        return l->value[value];
    enum mp_kind kind = mp_param_kind(i);
    const char *at = (const char *)config + offset[i];
    if (kind == MP_NUMBER || is_value(i))
        return *(const uint64_t *)at;
    return kind == MP_BOOL ? *(const bool *)at : *(const uint32_t *)at;
}

void mp_param_put(struct mp_config *config, unsigned i, uint64_t value)
{
    unsigned of;
    const struct mp_level_config *l = level_of(config, i, &of);
    if (l) {
        config->level[l - config->level].value[of] = value;
        return;
    }
    enum mp_kind kind = mp_param_kind(i);
    char *at = (char *)config + offset[i];
    if (kind == MP_NUMBER || is_value(i))
        *(uint64_t *)at = value;
    else if (kind == MP_BOOL)
        *(bool *)at = value != 0;
    else
        *(uint32_t *)at = (uint32_t)value;
}

unsigned mp_param_find(const char *path)
{
    unsigned i = 0;
    while (i < mp_nparams() && strcmp(mp_param(i)->path, path) != 0)
        i++;
    return i;
}

uint64_t mp_config_value(const struct mp_config *config, const char *path)
{
    return mp_param_get(config, mp_config_find(config, path));
}

void mp_config_put(struct mp_config *config, const char *path, uint64_t value)
{
    mp_param_put(config, mp_config_find(config, path), value);
}

const char *mp_config_word(const struct mp_config *config, const char *path)
{
    unsigned i = mp_config_find(config, path);
    return mp_param_choice(mp_param_row(config, i), mp_param_get(config, i));
}

bool mp_config_is(const struct mp_config *config, const char *path, const char *word)
{
    return strcmp(mp_config_word(config, path), word) == 0;
}

/* The lists of choices are split into words once. Callers get strings that live as long as the program. */
#define MAX_CHOICES 64u
static const char *word[MP_MOST_PARAMS][MAX_CHOICES];

static void cut_choices(void)
{
    prepare();
    for (unsigned i = 0; i < count; i++) {
        if (!table[i].choices)
            continue;
        char *rest = join(table[i].choices, "", "");
        for (unsigned n = 0; n < MAX_CHOICES && rest; n++)
            word[i][n] = strsep(&rest, "|");
    }
}

const char *mp_param_choice(unsigned row, uint64_t value)
{
    static once_flag once = ONCE_FLAG_INIT;
    call_once(&once, cut_choices);
    return value < MAX_CHOICES ? word[row][value] : NULL;
}

const char *mp_choice(const char *path, uint32_t value)
{
    unsigned i = mp_param_find(path);
    return i < mp_nparams() ? mp_param_choice(i, value) : NULL;
}

void mp_param_allowed(unsigned row, char *buffer, size_t size)
{
    const struct mp_param *p = &table[row];
    FILE *f = fmemopen(buffer, size, "w");
    if (!f)
        return;
    if (mp_param_kind(row) == MP_BOOL)
        fprintf(f, "true or false");
    else if (mp_param_kind(row) == MP_CHOICE)
        for (unsigned c = 0; mp_param_choice(row, c); c++)
            fprintf(f, "%s%s",
                    c == 0                        ? ""
                    : mp_param_choice(row, c + 1) ? ", "
                                                  : " or ",
                    mp_param_choice(row, c));
    else
        fprintf(f, "%ju to %ju%s (%s%s)", (uintmax_t)p->min, (uintmax_t)p->max,
                p->flags & MP_DESIGN_POWER_OF_TWO ? ", a power of two" : "", p->unit,
                strcmp(p->unit, "B") == 0 ? "; KiB, MiB, GiB" : "");
    fclose(f);
}

const char *mp_param_nearest(const struct mp_config *config, const char *path)
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
    for (unsigned i = 0; i < mp_config_nparams(config); i++) {
        const char *known = mp_config_param(config, i).path, *field = strrchr(known, '.');
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
