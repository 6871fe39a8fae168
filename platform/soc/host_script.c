/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/host_script.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/source.h"
#include "soc/host_port.h"

#define SECOND UINT64_C(1000000000) /* ns */

static const char expect_word[] = "expect", pause_word[] = "pause";

/* What is not an operand of a command. */
#define NUMBER (-1)
#define TIME   (-2)

/* A key of a step, where its value goes, and its default. */
struct key {
    const char *word;
    int kind; /* NUMBER, TIME, or the enumeration of its words */
    uint64_t *value;
    bool needed, found;
};

enum { KEYS = MP_HOST_OPERAND_WORDS + 4 };

struct keys {
    struct key key[KEYS];
    unsigned n;
};

/* --- values --------------------------------------------------------------------------------------- */

static int fail(const struct mp_host_script *s, unsigned line, const char *what, const char *text,
                const char *allowed, struct mp_error *err)
{
    return mp_fail(err, "%s:%u: %s '%.60s'; %.300s", s->name, line, what, text, allowed);
}

/* The digits at the beginning; the rest of the text, or NULL if there are none or too many. */
static const char *digits(const char *text, uint64_t *value)
{
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *at = text + (hex ? 2 : 0), *first = at;
    for (*value = 0; hex ? isxdigit((unsigned char)*at) : isdigit((unsigned char)*at); at++) {
        unsigned digit =
            isdigit((unsigned char)*at) ? (unsigned)(*at - '0') : (unsigned)(*at | 0x20) - 'a' + 10;
        if (*value > (UINT64_MAX - digit) / (hex ? 16 : 10))
            return NULL;
        *value = *value * (hex ? 16 : 10) + digit;
    }
    return at > first ? at : NULL;
}

static const struct unit {
    const char *word;
    uint64_t factor;
} sizes[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}},
  times[] = {{"us", SECOND / 1000000}, {"ms", SECOND / 1000}, {"s", SECOND}, {NULL, 0}};

static bool with_unit(const char *text, const struct unit *unit, uint64_t most, uint64_t *value)
{
    const char *rest = digits(text, value);
    while (rest && unit->word && strcmp(rest, unit->word) != 0)
        unit++;
    if (!rest || !unit->word || *value > most / unit->factor)
        return false;
    *value *= unit->factor;
    return true;
}

/* Values of the registers have names in lower case here: those of the configuration, or those in C. */
static const char *word_of(const struct mp_reg_value *v)
{
    return v->choice[0] ? v->choice : v->name;
}

static bool with_name(const char *text, const struct mp_reg_enum *e, uint64_t *value)
{
    for (unsigned i = 0; i < e->values; i++)
        if (!strcasecmp(text, word_of(&e->value[i]))) {
            *value = e->value[i].value;
            return true;
        }
    return false;
}

static void list(const struct mp_reg_enum *e, char *text, size_t size)
{
    size_t n = 0;
    *text = '\0';
    for (unsigned i = 0; i < e->values && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? ", " : "", word_of(&e->value[i]));
    for (char *c = text; *c; c++)
        *c = (char)tolower((unsigned char)*c);
}

static int parse_value(const struct mp_host_script *s, const struct mp_yaml *node, const struct key *k,
                       struct mp_error *err)
{
    char words[400];
    if (node->kind != MP_SCALAR)
        return fail(s, node->line, "no value for", k->word, "a number, a time or a word", err);
    if (k->kind == NUMBER)
        return with_unit(node->text, sizes, UINT64_MAX, k->value)
                   ? 0
                   : fail(s, node->line, "no number:", node->text, "decimal or 0x, with K, M or G", err);
    if (k->kind == TIME)
        return with_unit(node->text, times, 1000 * SECOND, k->value) && *k->value
                   ? 0
                   : fail(s, node->line, "no time:", node->text, "1us to 1000s, such as 20ms", err);
    if (with_name(node->text, &mp_soc_enums[k->kind], k->value))
        return 0;
    list(&mp_soc_enums[k->kind], words, sizeof words);
    return fail(s, node->line, "unknown word", node->text, words, err);
}

/* --- steps ---------------------------------------------------------------------------------------- */

static void add(struct keys *keys, const char *word, int kind, uint64_t *value, bool needed)
{
    keys->key[keys->n++] = (struct key){word, kind, value, needed, false};
}

static void list_keys(const struct keys *keys, char *text, size_t size)
{
    size_t n = 0;
    for (unsigned i = 0; i < keys->n && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", i ? ", " : "", keys->key[i].word);
}

static struct key *find_key(struct keys *keys, const char *word)
{
    for (unsigned i = 0; i < keys->n; i++)
        if (!strcmp(keys->key[i].word, word))
            return &keys->key[i];
    return NULL;
}

static int parse_keys(const struct mp_host_script *s, const struct mp_yaml *step, struct keys *keys,
                      struct mp_error *err)
{
    char allowed[300];
    list_keys(keys, allowed, sizeof allowed);
    if (step->kind == MP_SEQUENCE || (step->kind == MP_SCALAR && step->text[0]))
        return fail(s, step->line, "no keys after", step->key, allowed, err);
    for (const struct mp_yaml *node = step->first; node; node = node->next) {
        struct key *k = find_key(keys, node->key);
        if (!k)
            return fail(s, node->line, "unknown key", node->key, allowed, err);
        if (parse_value(s, node, k, err))
            return -1;
        k->found = true;
    }
    for (unsigned i = 0; i < keys->n; i++)
        if (keys->key[i].needed && !keys->key[i].found)
            return fail(s, step->line, "missing key", keys->key[i].word, allowed, err);
    return 0;
}

/* Operands that a script may leave out, or that it does not choose. */
static const struct {
    enum mp_host_opcode opcode;
    unsigned index;
    bool hidden;
    uint64_t value;
} defaults[] = {{MP_HOST_DO_PING, MP_HOST_PING_VALUE, false, 0},
                {MP_HOST_DO_BUFFER, MP_HOST_BUFFER_NUMBER, false, 0},
                {MP_HOST_DO_OPEN, MP_HOST_OPEN_PAGE, false, 65536},
                {MP_HOST_DO_COUNTERS, MP_HOST_COUNTERS_AT, true, 0},
                {MP_HOST_DO_INVALIDATE, MP_HOST_INVALIDATE_SPACE, false, 0},
                {MP_HOST_DO_INVALIDATE, MP_HOST_INVALIDATE_VA, false, 0}};

static void add_operand(struct keys *keys, const struct mp_host_operand *o, uint64_t *value)
{
    bool needed = true, hidden = false;
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (defaults[i].opcode == o->opcode && defaults[i].index == o->index) {
            *value = defaults[i].value;
            needed = false;
            hidden = defaults[i].hidden;
        }
    if (!hidden)
        add(keys, o->word, o->kind, value, needed);
}

static int parse_command(const struct mp_host_script *s, const struct mp_yaml *node,
                         struct mp_host_step *step, struct mp_error *err)
{
    struct keys keys = {.n = 0};
    for (unsigned i = 0; i < mp_host_noperands; i++)
        if (mp_host_operand_list[i].opcode == step->opcode)
            add_operand(&keys, &mp_host_operand_list[i], &step->operand[mp_host_operand_list[i].index]);
    add(&keys, "status", MP_ENUM_OF_host_status, &step->status, false);
    add(&keys, "within", TIME, &step->within, false);
    return parse_keys(s, node, &keys, err);
}

static int parse_expect(const struct mp_host_script *s, const struct mp_yaml *node, struct mp_host_step *step,
                        struct mp_error *err)
{
    struct keys keys = {.n = 0};
    uint64_t is = 0;
    step->kind = MP_HOST_STEP_EXPECT;
    step->most = UINT64_MAX;
    add(&keys, "counter", MP_ENUM_OF_mgmt_counter, &step->counter, true);
    add(&keys, "space", NUMBER, &step->operand[0], true);
    add(&keys, "least", NUMBER, &step->least, false);
    add(&keys, "most", NUMBER, &step->most, false);
    add(&keys, "is", NUMBER, &is, false);
    add(&keys, "within", TIME, &step->within, false);
    if (parse_keys(s, node, &keys, err))
        return -1;
    const bool bounded = find_key(&keys, "least")->found || find_key(&keys, "most")->found;
    if (bounded == find_key(&keys, "is")->found || step->least > step->most)
        return fail(s, node->line, "no values are expected of", node->key,
                    "least: N, most: M, or both, N not above M; or is: N", err);
    if (!bounded)
        step->least = step->most = is;
    return 0;
}

static int parse_pause(const struct mp_host_script *s, const struct mp_yaml *node, struct mp_host_step *step,
                       struct mp_error *err)
{
    step->kind = MP_HOST_STEP_PAUSE;
    return parse_value(s, node, &(struct key){.word = pause_word, .kind = TIME, .value = &step->within}, err);
}

/* All steps that there are. */
static int unknown(const struct mp_host_script *s, const struct mp_yaml *node, struct mp_error *err)
{
    char words[300];
    list(&mp_soc_enums[MP_ENUM_OF_host_opcode], words, sizeof words);
    size_t n = strlen(words);
    snprintf(words + n, sizeof words - n, ", %s, %s", expect_word, pause_word);
    return fail(s, node->line, "unknown step", node->key, words, err);
}

static int parse_step(const struct mp_host_script *s, const struct mp_yaml *item, struct mp_host_step *step,
                      struct mp_error *err)
{
    const struct mp_yaml *node = item->first;
    uint64_t opcode;
    *step = (struct mp_host_step){.line = item->line, .within = 10 * SECOND};
    if (item->kind != MP_MAPPING || item->n != 1)
        return fail(s, item->line, "no step:", item->text ? item->text : "",
                    "one word with its keys, such as - create: {instance: 0, slices: 3}", err);
    if (!strcmp(node->key, expect_word))
        return parse_expect(s, node, step, err);
    if (!strcmp(node->key, pause_word))
        return parse_pause(s, node, step, err);
    if (!with_name(node->key, &mp_soc_enums[MP_ENUM_OF_host_opcode], &opcode))
        return unknown(s, node, err);
    step->opcode = (enum mp_host_opcode)opcode;
    return parse_command(s, node, step, err);
}

/* --- scripts -------------------------------------------------------------------------------------- */

static bool quits(const struct mp_host_script *s)
{
    for (size_t i = 0; i < s->steps; i++)
        if (s->step[i].kind == MP_HOST_STEP_COMMAND && s->step[i].opcode == MP_HOST_DO_QUIT)
            return true;
    return false;
}

static int parse_list(struct mp_host_script *s, const struct mp_yaml *document, struct mp_error *err)
{
    if (!document || document->kind != MP_SEQUENCE || !document->n)
        return mp_fail(err, "%s:1: no steps; a list of steps, such as - create: {instance: 0, slices: 3}",
                       s->name);
    s->step = calloc(document->n + 1, sizeof *s->step);
    if (!s->step)
        return mp_fail(err, "%s: out of memory; a shorter script", s->name);
    for (const struct mp_yaml *item = document->first; item; item = item->next)
        if (parse_step(s, item, &s->step[s->steps++], err))
            return -1;
    if (!quits(s))
        s->step[s->steps++] = (struct mp_host_step){
            .line = document->last->line, .opcode = MP_HOST_DO_QUIT, .within = 10 * SECOND};
    return 0;
}

int mp_host_script_parse(struct mp_host_script *s, const char *name, const char *text, size_t bytes,
                         struct mp_error *err)
{
    struct mp_yaml *document = NULL;
    *s = (struct mp_host_script){.name = strdup(name)};
    if (!s->name)
        return mp_fail(err, "%s: out of memory; a shorter script", name);
    int bad =
        mp_yaml_read(&document, &(struct mp_source){.text = text, .size = bytes, .where = s->name}, err) ||
        parse_list(s, document, err);
    mp_yaml_free(document);
    if (bad)
        mp_host_script_free(s);
    return bad ? -1 : 0;
}

void mp_host_script_free(struct mp_host_script *s)
{
    free(s->step);
    free(s->name);
    *s = (struct mp_host_script){.name = NULL};
}

const char *mp_host_step_word(const struct mp_host_step *step)
{
    return step->kind == MP_HOST_STEP_EXPECT  ? expect_word
           : step->kind == MP_HOST_STEP_PAUSE ? pause_word
                                              : mp_reg_choice(MP_ENUM_OF_host_opcode, step->opcode);
}
