/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/inject.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/source.h"
#include "engine/number.h"
#include "engine/wheel.h"
#include "soc/regs.h"

/* --- what there is -------------------------------------------------------------------------------- */

enum key { KEY_FAULT, KEY_EVENT, KEY_CYCLE, KEY_SOURCE, KEY_DEVICE, KEY_BY, KEY_FOR, KEY_KIND, KEYS };
static const char *const key_names[KEYS] = {"fault",  "event", "cycle", "source",
                                            "device", "by",    "for",   "kind"};

#define KEY(name) (1u << KEY_##name)

#define US(n) (UINT64_C(n) * 1000) /* nanoseconds */
#define EVER  UINT64_MAX

enum { DRAWN = 4 };
static const struct kind {
    const char *name;
    uint32_t needs, may;   /* keys, without fault, event and cycle */
    uint64_t lasts;        /* nanoseconds, unless the entry says it */
    uint64_t drawn[DRAWN]; /* one of these if it is drawn; 0: no more of them */
} kinds[MP_INJECT_KINDS] = {
    [MP_INJECT_INTERRUPT_LOST] = {"interrupt-lost", KEY(SOURCE), 0, 0, {0}},
    [MP_INJECT_INTERRUPT_SPURIOUS] = {"interrupt-spurious", KEY(SOURCE), KEY(FOR), US(1), {US(1), US(100)}},
    [MP_INJECT_INVALIDATION_LATE] = {"invalidation-late", KEY(BY), 0, 0, {US(10), US(1000), US(50000), EVER}},
    [MP_INJECT_BUS_ERROR] = {"bus-error", KEY(DEVICE), 0, 0, {0}},
    [MP_INJECT_WALKER_STUCK] = {"walker-stuck", 0, KEY(FOR), EVER, {US(100), US(20000), EVER}},
    [MP_INJECT_ECC_ENTRY] = {"ecc-entry", KEY(KIND), 0, 0, {0}},
    [MP_INJECT_ECC_PAGE] = {"ecc-page", KEY(KIND), 0, 0, {0}},
    [MP_INJECT_FAULT_BUFFER_FULL] = {"fault-buffer-full", 0, KEY(FOR), EVER, {US(100), US(20000), EVER}},
    [MP_INJECT_LAUNCH_HANGS] = {"launch-hangs", 0, 0, 0, {0}},
    [MP_INJECT_REPLAY_LOST] = {"replay-lost", 0, 0, 0, {0}},
    [MP_INJECT_VALID_BIT_LOST] = {"valid-bit-lost", 0, 0, 0, {0}},
    [MP_INJECT_VALID_BIT_LATE] = {"valid-bit-late", KEY(BY), 0, 0, {US(1), US(100), US(20000)}},
    [MP_INJECT_COPY_LATE] = {"copy-late", KEY(BY), 0, 0, {US(100), US(20000), EVER}},
    [MP_INJECT_COPY_FAILS] = {"copy-fails", 0, 0, 0, {0}},
};

static const struct place {
    const char *name;
    unsigned number;
} sources[] =
    {
#define SOURCE(name, number, text) {#name, number},
        MP_SOC_INTERRUPTS(SOURCE)},
  devices[] = {
#define DEVICE(name, base, bytes, kind, text) {#name, MP_WINDOW_##name},
      MP_SOC_MAP(DEVICE)};

#define COUNT(table) (sizeof(table) / sizeof *(table))

const char *mp_inject_name(enum mp_inject_kind kind)
{
    return kinds[kind].name;
}

/* GPU_QUEUE as gpu-queue. */
static void spell(const char *name, char *text, size_t size)
{
    size_t n = 0;
    for (; name[n] && n + 1 < size; n++)
        text[n] = (char)(name[n] == '_' ? '-' : name[n] | 0x20);
    text[n] = '\0';
}

/* --- reading -------------------------------------------------------------------------------------- */

struct reader {
    struct mp_inject *plan;
    const char *where;
    struct mp_error *err;
};

#define fail(r, ...) mp_fail_line((r)->err, (r)->where, __VA_ARGS__)

/* The names of a mask of keys, "event, cycle, by". */
static const char *list_keys(uint32_t keys, char *text, size_t size)
{
    size_t n = 0;
    *text = '\0';
    for (unsigned k = 0; k < KEYS; k++)
        if (keys >> k & 1 && n < size)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", key_names[k]);
    return text;
}

static const char *list_kinds(char *text, size_t size)
{
    size_t n = 0;
    for (unsigned k = 0; k < MP_INJECT_KINDS && n < size; k++)
        n += (size_t)snprintf(text + n, size - n, "%s%s", k ? ", " : "", kinds[k].name);
    return text;
}

static int read_kind(const struct reader *r, const struct mp_yaml *v, unsigned *kind)
{
    char all[400];
    for (*kind = 0; *kind < MP_INJECT_KINDS; ++*kind)
        if (v->kind == MP_SCALAR && !strcmp(v->text, kinds[*kind].name))
            return 0;
    return fail(r, v->value_line, "no kind of fault '%.40s'; %s", v->kind == MP_SCALAR ? v->text : "",
                list_kinds(all, sizeof all));
}

static int read_count(const struct reader *r, const struct mp_yaml *v, uint64_t least, uint64_t most,
                      uint64_t *value)
{
    const char *text = v->kind == MP_SCALAR ? v->text : "";
    const char *wrong = mp_number(text, strlen(text), least, most, value);
    return wrong ? fail(r, v->value_line, "%s: '%.40s' %s; a number from %" PRIu64 " to %" PRIu64, v->key,
                        text, wrong, least, most)
                 : 0;
}

/* At least one of a time. */
static uint64_t cycles_of(const struct mp_inject *plan, uint64_t ns)
{
    const double cycles = (double)ns * plan->clock_mhz / 1000;
    if (ns == EVER || cycles >= (double)(MP_NEVER / 2))
        return MP_NEVER;
    return ns && cycles < 1 ? 1 : (uint64_t)cycles;
}

/* "200us" or "ever", in cycles. */
static int read_time(const struct reader *r, const struct mp_yaml *v, uint64_t *cycles)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    const char *text = v->kind == MP_SCALAR ? v->text : "";
    const size_t digits = strspn(text, "0123456789");
    uint64_t n;
    *cycles = MP_NEVER;
    if (!strcmp(text, "ever"))
        return 0;
    for (unsigned u = 0; u < COUNT(units); u++)
        if (!strcmp(text + digits, units[u].name) && !mp_number(text, digits, 1, 1000000000, &n)) {
            *cycles = cycles_of(r->plan, n * units[u].ns);
            return 0;
        }
    return fail(r, v->value_line, "%s: '%.40s' is no time; such as 500ns, 200us, 3ms or 1s, or ever", v->key,
                text);
}

static int read_place(const struct reader *r, const struct mp_yaml *v, const struct place *place,
                      size_t places, unsigned *number)
{
    char all[200] = "", name[24];
    size_t n = 0;
    for (size_t i = 0; i < places; i++) {
        spell(place[i].name, name, sizeof name);
        if (v->kind == MP_SCALAR && !strcmp(v->text, name)) {
            *number = place[i].number;
            return 0;
        }
        if (n < sizeof all)
            n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n ? ", " : "", name);
    }
    return fail(r, v->value_line, "%s: '%.40s' is not there; %s", v->key, v->kind == MP_SCALAR ? v->text : "",
                all);
}

static int read_severity(const struct reader *r, const struct mp_yaml *v, bool *poisoned)
{
    const char *text = v->kind == MP_SCALAR ? v->text : "";
    *poisoned = !strcmp(text, "poisoned");
    return *poisoned || !strcmp(text, "corrected")
               ? 0
               : fail(r, v->value_line, "kind: '%.40s'; corrected or poisoned", text);
}

static int read_key(const struct reader *r, const struct mp_yaml *v, enum key key, struct mp_injected *f)
{
    switch (key) {
    case KEY_EVENT:
        return read_count(r, v, 1, INT64_MAX, &f->event);
    case KEY_CYCLE:
        return read_count(r, v, 0, INT64_MAX, &f->cycle);
    case KEY_SOURCE:
        return read_place(r, v, sources, COUNT(sources), &f->place);
    case KEY_DEVICE:
        return read_place(r, v, devices, COUNT(devices), &f->place);
    case KEY_KIND:
        return read_severity(r, v, &f->poisoned);
    case KEY_BY:
    case KEY_FOR:
        return read_time(r, v, &f->lasts);
    default:
        return 0;
    }
}

static const struct mp_yaml *find(const struct mp_yaml *map, const char *key)
{
    const struct mp_yaml *v = map->kind == MP_MAPPING ? map->first : NULL;
    while (v && strcmp(v->key, key) != 0)
        v = v->next;
    return v;
}

static int read_fault(const struct reader *r, const struct mp_yaml *entry)
{
    struct mp_inject *plan = r->plan;
    const struct mp_yaml *named = find(entry, "fault");
    struct mp_injected f = {.line = entry->value_line, .happened = MP_NEVER};
    uint32_t given = 0;
    unsigned kind;
    char names[100];
    if (!named)
        return fail(r, entry->value_line, "an entry without 'fault'; {fault: KIND, event: N}");
    if (plan->faults == MP_INJECT_FAULTS)
        return fail(r, entry->value_line, "too many faults; at most %u", MP_INJECT_FAULTS);
    if (read_kind(r, named, &kind))
        return -1;
    const uint32_t may = kinds[kind].needs | kinds[kind].may | KEY(FAULT) | KEY(EVENT) | KEY(CYCLE);
    f.kind = (enum mp_inject_kind)kind;
    f.lasts = cycles_of(plan, kinds[kind].lasts);
    for (const struct mp_yaml *v = entry->first; v; v = v->next) {
        unsigned key = 0;
        while (key < KEYS && strcmp(v->key, key_names[key]) != 0)
            key++;
        if (key == KEYS || !(may >> key & 1))
            return fail(r, v->line, "'%.40s' is no key of %s; %s", v->key, kinds[kind].name,
                        list_keys(may, names, sizeof names));
        given |= 1u << key;
        if (read_key(r, v, (enum key)key, &f))
            return -1;
    }
    if (kinds[kind].needs & ~given)
        return fail(r, entry->value_line, "%s needs more; %s", kinds[kind].name,
                    list_keys(kinds[kind].needs & ~given, names, sizeof names));
    if (!(given & KEY(EVENT)) == !(given & KEY(CYCLE)))
        return fail(r, entry->value_line, "%s needs a time; event or cycle, one of both", kinds[kind].name);
    plan->fault[plan->faults++] = f;
    return 0;
}

static int read_kinds(const struct reader *r, const struct mp_yaml *v)
{
    unsigned kind;
    if (v->kind != MP_SEQUENCE || !v->first)
        return fail(r, v->value_line, "kinds: not a list; such as [interrupt-lost, bus-error]");
    r->plan->kinds = 0;
    for (const struct mp_yaml *e = v->first; e; e = e->next) {
        if (read_kind(r, e, &kind))
            return -1;
        r->plan->kinds |= 1u << kind;
    }
    return 0;
}

static int read_random(const struct reader *r, const struct mp_yaml *random)
{
    uint64_t faults = 1;
    if (random->kind != MP_MAPPING)
        return fail(r, random->value_line, "random: not a mapping; {seed: N, faults: N, kinds: [KIND, ...]}");
    for (const struct mp_yaml *v = random->first; v; v = v->next) {
        int wrong = !strcmp(v->key, "seed")     ? read_count(r, v, 0, INT64_MAX, &r->plan->seed)
                    : !strcmp(v->key, "faults") ? read_count(r, v, 1, MP_INJECT_FAULTS, &faults)
                    : !strcmp(v->key, "kinds")
                        ? read_kinds(r, v)
                        : fail(r, v->line, "'%.40s' in random; seed, faults, kinds", v->key);
        if (wrong)
            return -1;
    }
    r->plan->random = (unsigned)faults;
    return 0;
}

static int read_document(const struct reader *r, const struct mp_yaml *document)
{
    if (!document || document->kind != MP_MAPPING || !document->first)
        return fail(r, 1, "no plan of faults; faults: [...], random: {...}, or both");
    for (const struct mp_yaml *v = document->first; v; v = v->next) {
        if (!strcmp(v->key, "random")) {
            if (read_random(r, v))
                return -1;
            continue;
        }
        if (strcmp(v->key, "faults") != 0)
            return fail(r, v->line, "'%.40s' in a plan of faults; faults, random", v->key);
        if (v->kind != MP_SEQUENCE)
            return fail(r, v->value_line, "faults: not a list; - {fault: KIND, event: N}");
        for (const struct mp_yaml *entry = v->first; entry; entry = entry->next)
            if (read_fault(r, entry))
                return -1;
    }
    if (r->plan->faults + r->plan->random > MP_INJECT_FAULTS)
        return fail(r, 1, "too many faults; at most %u", MP_INJECT_FAULTS);
    return r->plan->faults || r->plan->random ? 0 : fail(r, 1, "no faults; at least one");
}

static int parse(struct mp_inject *plan, const struct mp_source *source, double clock_mhz,
                 struct mp_error *err)
{
    struct mp_yaml *document;
    const struct reader r = {plan, source->where, err};
    *plan = (struct mp_inject){.clock_mhz = clock_mhz, .kinds = (1u << MP_INJECT_KINDS) - 1};
    if (mp_yaml_read(&document, source, err))
        return -1;
    int status = read_document(&r, document);
    mp_yaml_free(document);
    return status;
}

int mp_inject_parse(struct mp_inject *plan, const char *name, const char *text, size_t size, double clock_mhz,
                    struct mp_error *err)
{
    char where[256];
    snprintf(where, sizeof where, "%s", name);
    return parse(plan, &(struct mp_source){.text = text, .size = size, .where = where}, clock_mhz, err);
}

int mp_inject_load(struct mp_inject *plan, const char *file, double clock_mhz, struct mp_error *err)
{
    struct mp_source source;
    if (mp_source_open(&source, file, NULL, NULL, err))
        return -1;
    int status = parse(plan, &source, clock_mhz, err);
    mp_source_close(&source);
    return status;
}

/* --- drawing -------------------------------------------------------------------------------------- */

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* The number of the k-th bit that is set. */
static unsigned nth_bit(uint32_t bits, unsigned k)
{
    while (k--)
        bits &= bits - 1;
    return (unsigned)__builtin_ctz(bits);
}

static unsigned one_of(uint64_t *state, uint32_t bits)
{
    return nth_bit(bits, (unsigned)(splitmix(state) % (unsigned)__builtin_popcount(bits)));
}

static uint32_t places_of(const struct mp_inject_events *there, unsigned kind)
{
    uint32_t places = 0;
    for (unsigned p = 0; p < MP_INJECT_PLACES; p++)
        places |= (uint32_t)(there->number[kind][p] != 0) << p;
    return places;
}

static struct mp_injected draw(struct mp_inject *plan, const struct mp_inject_events *there,
                               uint32_t possible, uint64_t *state)
{
    const unsigned kind = one_of(state, possible), place = one_of(state, places_of(there, kind));
    unsigned times = 0;
    while (times < DRAWN && kinds[kind].drawn[times])
        times++;
    uint64_t event = 1 + splitmix(state) % there->number[kind][place];
    uint64_t ns = times ? kinds[kind].drawn[splitmix(state) % times] : kinds[kind].lasts;
    return (struct mp_injected){.kind = (enum mp_inject_kind)kind,
                                .place = place,
                                .poisoned = kinds[kind].needs & KEY(KIND) && splitmix(state) >> 63,
                                .event = event,
                                .lasts = cycles_of(plan, ns),
                                .happened = MP_NEVER};
}

int mp_inject_draw(struct mp_inject *plan, const struct mp_inject_events *there, struct mp_error *err)
{
    uint64_t state = plan->seed;
    uint32_t possible = 0;
    for (unsigned k = 0; k < MP_INJECT_KINDS; k++)
        if (plan->kinds >> k & 1 && places_of(there, k))
            possible |= 1u << k;
    if (plan->random && !possible)
        return mp_fail(err, "random: the run without faults has no event of these kinds; other kinds");
    for (unsigned i = 0; i < plan->random; i++)
        plan->fault[plan->faults++] = draw(plan, there, possible, &state);
    return 0;
}

/* --- the run -------------------------------------------------------------------------------------- */

const struct mp_injected *mp_inject_event(struct mp_inject *plan, enum mp_inject_kind kind, unsigned place,
                                          uint64_t cycle)
{
    const uint64_t event = ++plan->events.number[kind][place];
    for (unsigned i = 0; i < plan->faults; i++) {
        struct mp_injected *f = &plan->fault[i];
        if (f->kind != kind || f->place != place || f->happened != MP_NEVER ||
            (f->event ? f->event != event : cycle < f->cycle))
            continue;
        f->happened = cycle;
        return f;
    }
    return NULL;
}

static void name_place(const struct place *place, size_t places, unsigned number, char *name, size_t size)
{
    for (size_t i = 0; i < places; i++)
        if (place[i].number == number)
            spell(place[i].name, name, size);
}

void mp_inject_where(const struct mp_inject *plan, const struct mp_injected *f, char *text, size_t size)
{
    const uint32_t keys = kinds[f->kind].needs | kinds[f->kind].may;
    char name[24] = "";
    if (keys & KEY(SOURCE))
        name_place(sources, COUNT(sources), f->place, name, sizeof name);
    if (keys & KEY(DEVICE))
        name_place(devices, COUNT(devices), f->place, name, sizeof name);
    if (keys & KEY(KIND))
        snprintf(name, sizeof name, "%s", f->poisoned ? "poisoned" : "corrected");
    size_t n = (size_t)snprintf(text, size, "%s", name);
    const char *space = n ? " " : "";
    if (!(keys & (KEY(BY) | KEY(FOR))) || n >= size)
        return;
    if (f->lasts == MP_NEVER)
        snprintf(text + n, size - n, "%sfor ever", space);
    else
        snprintf(text + n, size - n, "%s%.0f us", space, (double)f->lasts / plan->clock_mhz);
}

void mp_inject_when(const struct mp_injected *f, char *text, size_t size)
{
    snprintf(text, size, "%s %" PRIu64, f->event ? "event" : "cycle", f->event ? f->event : f->cycle);
}
