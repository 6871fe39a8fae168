/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations that load: every shipped file, every parameter at both ends of its range, and every
 * effective text again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"
#include "walk/scheduler/scheduler.h"

#define EACH_PARAM(i) for (unsigned i = 0; i < mp_nparams(); i++)

static void load(struct mp_config *config, const char *text, unsigned n, const char *const *overrides)
{
    struct mp_error err = {""};
    if (mp_config_load_text(config, "test.yaml", text, strlen(text), n, overrides, &err))
        fail_msg("%s\nfrom\n%s", err.text, text);
}

/* Returns the value of "section.field" in the configuration's YAML text. */
static void value_text(const struct mp_config *config, const char *path, char *value, size_t size)
{
    char section[64], field[64], *text = mp_config_text(config);
    assert_non_null(text);
    assert_int_equal(sscanf(path, "%63[^.].%63s", section, field), 2);
    char line[80];
    snprintf(line, sizeof line, "\n%s:\n", section);
    const char *at = strstr(text, line);
    assert_non_null(at);
    snprintf(line, sizeof line, "\n  %s: ", field);
    at = strstr(at + 1, line);
    assert_non_null(at);
    at += strlen(line);
    snprintf(value, size, "%.*s", (int)strcspn(at, "\n"), at);
    free(text);
}

static unsigned nchoices(const struct mp_param *p)
{
    unsigned n = 0;
    while (mp_choice(p->path, n))
        n++;
    return n;
}

static void extreme_text(const struct mp_param *p, bool max, char *text, size_t size)
{
    if (p->choices)
        snprintf(text, size, "%s", mp_choice(p->path, max ? nchoices(p) - 1 : 0));
    else if (!p->unit)
        snprintf(text, size, "%s", max ? "true" : "false");
    else
        snprintf(text, size, "%ju", (uintmax_t)(max ? p->max : p->min));
}

/* An end of a range may be impossible with the defaults of other parameters; these values make it
 * possible. */
#define OTHER      "seed=1" /* has no effect that matters here */
#define COMPANIONS 8u

static const char *const *companion(const char *path, bool max)
{
    static const struct {
        const char *path;
        bool max;
        const char *override[COMPANIONS]; /* NULL: OTHER */
    } table[] = {
        {"l1_tlb.entries", false, {"l1_tlb.ways=1"}},
        {"l1_tlb.ways", true, {"l1_tlb.entries=128", "l1_tlb.policy=page"}},
        {"l2_tlb.ways", true, {"l2_tlb.policy=page"}},
        {"l3_tlb.ways", true, {"l3_tlb.policy=page"}},
        {"l1_tlb.pipeline", true, {"l1_tlb.lookups=1"}},
        {"l2_tlb.pipeline", true, {"l2_tlb.lookups=1"}},
        {"l3_tlb.pipeline", true, {"l3_tlb.lookups=1"}},
        {"vm.format", true, {"machine.page_bytes=4096"}},
        {"vm.table", true, {"walk.method=probe"}},
        {"vm.layout", true, {"machine.page_bytes=4096"}},
        {"l2_tlb.entries", false, {"l2_tlb.ways=1"}},
        {"l3_tlb.entries", false, {"l3_tlb.ways=1"}},
        {"l2d.bytes_per_slice", false, {"l2d.banks_per_slice=1"}},
        {"walk.method", true, {"machine.page_bytes=4096"}},
        {"l2d.ports",
         true,
         {"machine.hash=gtx1080", "machine.slices=1", "l2d.banks_per_slice=8", "l2d.ways=16",
          "dram.channels_per_slice=8", "dram.banks=16"}},
        {"l2d.mshrs", true, {"l2d.banks_per_slice=1", "machine.slices=1"}},
        {"neighbours.update", true, {"neighbours.policy=neidty"}},
        {"machine.short_slices", true, {"machine.sharing=mps", "machine.slices=8"}},
        {"machine.memory_slices", true, {"machine.sharing=mps", "l2d.mshrs=1"}},
        {"dram.model", true, {"dram.burst=8"}},
    };
    static const char *list[COMPANIONS];
    for (unsigned k = 0; k < COMPANIONS; k++)
        list[k] = OTHER;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        for (unsigned k = 0; k < COMPANIONS && !strcmp(path, table[i].path) && max == table[i].max; k++)
            list[k] = table[i].override[k] ? table[i].override[k] : OTHER;
    return list;
}

static void each_end_by_override(void **state)
{
    (void)state;
    EACH_PARAM(i) for (int max = 0; max < 2; max++)
    {
        char want[64], got[64], override[128];
        extreme_text(mp_param(i), max, want, sizeof want);
        snprintf(override, sizeof override, "%s=%s", mp_param(i)->path, want);
        struct mp_config config;
        const char *all[COMPANIONS + 1];
        memcpy(all, companion(mp_param(i)->path, max), COMPANIONS * sizeof *all);
        all[COMPANIONS] = override;
        load(&config, "{}", COMPANIONS + 1, all);
        value_text(&config, mp_param(i)->path, got, sizeof got);
        assert_string_equal(got, want);
        mp_config_free(&config);
    }
}

static void each_end_by_file(void **state)
{
    (void)state;
    EACH_PARAM(i) for (int max = 0; max < 2; max++)
    {
        char want[64], got[64], text[192];
        extreme_text(mp_param(i), max, want, sizeof want);
        int section = (int)strcspn(mp_param(i)->path, ".");
        snprintf(text, sizeof text, "%.*s:\n  %s: %s\n", section, mp_param(i)->path,
                 mp_param(i)->path + section + 1, want);
        struct mp_config config;
        load(&config, text, COMPANIONS, companion(mp_param(i)->path, max));
        value_text(&config, mp_param(i)->path, got, sizeof got);
        assert_string_equal(got, want);
        mp_config_free(&config);
    }
}

/* The XOR maps fit one geometry each. */
static void machines_of_xor_maps(void **state)
{
    (void)state;
    static const char *const modules[2][2] = {{"machine.hash=gtx1080", "l2d.banks_per_slice=8"},
                                              {"machine.hash=v100", "l2d.banks_per_slice=32"}};
    static const char *const memory[2][3] = {
        {"l2d.bytes_per_slice=2 MiB", "l2d.ways=16", "dram.channels_per_slice=8"},
        {"l2d.bytes_per_slice=6 MiB", "l2d.ways=48", "dram.channels_per_slice=32"}};
    for (int v100 = 0; v100 < 2; v100++) {
        struct mp_config config;
        struct mp_error err;
        const char *list[] = {modules[v100][0], modules[v100][1], memory[v100][0],    memory[v100][1],
                              memory[v100][2],  "dram.banks=16",  "machine.slices=1", "dram.row_bytes=2048"};
        load(&config, "{}", 8, list);
        mp_config_free(&config);
        list[7] = "dram.row_bytes=1024";
        assert_int_equal(mp_config_load_text(&config, "test.yaml", "{}", 2, 8, list, &err), -1);
        assert_non_null(strstr(err.text, "1024 does not suit the hash of"));
    }
}

static void beyond_each_end(void **state)
{
    (void)state;
    EACH_PARAM(i)
    {
        const struct mp_param *p = mp_param(i);
        if (p->choices || !p->unit)
            continue;
        for (int max = p->min == 0; max < (p->max == UINT64_MAX ? 1 : 2); max++) {
            char override[128], want[512];
            uint64_t value = max ? p->max + 1 : p->min - 1;
            snprintf(override, sizeof override, "%s=%ju", p->path, (uintmax_t)value);
            snprintf(want, sizeof want, "--set %s: %s = '%ju' is too %s; %ju to %ju%s (%s%s)", override,
                     p->path, (uintmax_t)value, max ? "large" : "small", (uintmax_t)p->min, (uintmax_t)p->max,
                     p->flags & MP_DESIGN_POWER_OF_TWO ? ", a power of two" : "", p->unit,
                     strcmp(p->unit, "B") == 0 ? "; KiB, MiB, GiB" : "");
            struct mp_config config;
            struct mp_error err;
            assert_int_equal(mp_config_load_text(&config, "t", "{}", 2, 1, (const char *[]){override}, &err),
                             -1);
            assert_string_equal(err.text, want);
        }
    }
}

static void defaults_are_the_table(void **state)
{
    (void)state;
    struct mp_config config;
    load(&config, "", 0, NULL);
    EACH_PARAM(i)
    {
        char want[64], got[64];
        if (mp_param(i)->choices)
            snprintf(want, sizeof want, "%s", mp_choice(mp_param(i)->path, (uint32_t)mp_param(i)->def));
        else if (!mp_param(i)->unit)
            snprintf(want, sizeof want, "%s", mp_param(i)->def ? "true" : "false");
        else
            snprintf(want, sizeof want, "%ju", (uintmax_t)mp_param(i)->def);
        value_text(&config, mp_param(i)->path, got, sizeof got);
        assert_string_equal(got, want);
    }
    mp_config_free(&config);
}

static char *again(const char *text)
{
    struct mp_config config;
    load(&config, text, 0, NULL);
    char *second = mp_config_text(&config);
    mp_config_free(&config);
    return second;
}

static void shipped_files_load(void **state)
{
    (void)state;
    unsigned n = 0;
    for (; mp_config_name(n); n++) {
        struct mp_config config;
        struct mp_error err = {""};
        if (mp_config_load(&config, mp_config_name(n), 0, NULL, &err))
            fail_msg("%s", err.text);
        assert_string_equal(config.name, mp_config_name(n));
        assert_non_null(config.description);
        char *text = mp_config_text(&config), *second = again(text);
        assert_string_equal(text, second);
        free(text);
        free(second);
        mp_config_free(&config);
    }
    assert_int_equal(n, 37);
}

/* The machine preset has the defaults of all parameters. */
static void preset_is_the_default(void **state)
{
    (void)state;
    struct mp_config preset, none;
    struct mp_error err;
    assert_int_equal(mp_config_load(&preset, "star-a100-mig", 1, (const char *[]){"description="}, &err), 0);
    load(&none, "name: star-a100-mig\n", 0, NULL);
    char *a = mp_config_text(&preset), *b = mp_config_text(&none);
    assert_string_equal(a, b);
    free(a);
    free(b);
    mp_config_free(&preset);
    mp_config_free(&none);
}

/* The peak bandwidth of stacked memory is that of the data sheet, in GB/s. */
static void bandwidths_of_data_sheets(void **state)
{
    (void)state;
    static const struct {
        const char *machine;
        uint64_t peak, sms, l2;
    } sheet[] = {{"a100-80g", 2039, 108, 40 << 20}, {"h100-sxm", 3352, 132, 50 << 20}};
    for (unsigned i = 0; i < sizeof sheet / sizeof *sheet; i++) {
        struct mp_config c;
        struct mp_error err;
        assert_int_equal(mp_config_load(&c, sheet[i].machine, 0, NULL, &err), 0);
        const uint64_t channels = c.machine.memory_slices * mp_config_value(&c, "dram.channels_per_slice");
        const uint64_t peak = channels * c.machine.line_bytes * mp_config_value(&c, "dram.clock_mhz") /
                              mp_config_value(&c, "dram.burst");
        assert_in_range(peak, (sheet[i].peak - 1) * 1000, (sheet[i].peak + 1) * 1000);
        assert_int_equal(mp_config_sms(&c), sheet[i].sms);
        assert_int_equal(c.machine.memory_slices * mp_config_value(&c, "l2d.bytes_per_slice"), sheet[i].l2);
        mp_config_free(&c);
    }
}

static void an_empty_name_is_the_source_s(void **state)
{
    (void)state;
    struct mp_config config;
    load(&config, "name: \n", 0, NULL);
    assert_string_equal(config.name, "test.yaml");
    mp_config_free(&config);
    load(&config, "name: mine\n", 1, (const char *[]){"name="});
    assert_string_equal(config.name, "test.yaml");
    mp_config_free(&config);
}

static void sizes_with_suffixes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } table[] = {{"131072", 131072}, {"0x20000", 131072},     {"128 KiB", 131072},
                 {"128KiB", 131072}, {"\"128 KiB\"", 131072}, {"131072 B", 131072},
                 {"1MiB", 1048576},  {"0.125 MiB", 131072},   {"62.5 KiB", 64000}};
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        char text[64];
        struct mp_config config;
        snprintf(text, sizeof text, "l1d: {bytes: %s}", table[i].text);
        load(&config, text, 1, (const char *[]){"machine.memory_per_slice=5 GiB"});
        assert_int_equal(mp_config_value(&config, "l1d.bytes"), table[i].bytes);
        assert_int_equal(config.machine.memory_per_slice, 5368709120);
        mp_config_free(&config);
    }
}

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

enum { AGAIN = 128, OVERRIDES = 512 };

/* Random values for all parameters. Those that other parameters restrict are drawn from the possible
 * values: at most AGAIN of them after all others. */
static unsigned random_overrides(uint64_t *s, char o[OVERRIDES][128])
{
    static const char *const restricted[] = {"entries",         "ways",
                                             "sub_entries",     "page_bytes",
                                             "line_bytes",      "memory_per_slice",
                                             "pwc_entries",     "pwc_ways",
                                             "bytes",           "bytes_per_slice",
                                             "banks_per_slice", "row_bytes",
                                             "slices",          "short_slices",
                                             "memory_slices",   "model",
                                             "policy",          "sharing",
                                             "sms_per_tpc",     "update",
                                             "memory",          "lanes",
                                             "method",          "hash",
                                             "colours",         "layout",
                                             "frames",          "warmup",
                                             "warmup_policy"};
    unsigned n = 0;
    assert_true(mp_nparams() <= OVERRIDES - AGAIN);
    EACH_PARAM(i)
    {
        const struct mp_param *p = mp_param(i);
        const char *field = strchr(p->path, '.') + 1;
        bool skip = strcmp(p->path, "l2d.mshrs") == 0 || p->flags & MP_DESIGN_POWER_OF_TWO;
        for (unsigned k = 0; k < sizeof restricted / sizeof restricted[0]; k++)
            skip = skip || strcmp(field, restricted[k]) == 0;
        if (skip)
            continue;
        if (p->choices)
            snprintf(o[n++], 128, "%s=%s", p->path, mp_choice(p->path, (uint32_t)(next(s) % nchoices(p))));
        else if (!p->unit)
            snprintf(o[n++], 128, "%s=%s", p->path, next(s) % 2 ? "true" : "false");
        else
            snprintf(o[n++], 128, "%s=%ju", p->path,
                     (uintmax_t)(p->max == UINT64_MAX ? next(s) : p->min + next(s) % (p->max - p->min + 1)));
    }
    for (unsigned level = 1; level <= 3; level++) {
        unsigned ways = 1 + (unsigned)(next(s) % 64);
        snprintf(o[n++], 128, "l%u_tlb.ways=%u", level, ways);
        snprintf(o[n++], 128, "l%u_tlb.entries=%u", level, ways << next(s) % 10);
        snprintf(o[n++], 128, "l%u_tlb.sub_entries=%u", level, 1u << next(s) % 5);
        if (next(s) % 2) /* another pipeline needs a limit of look-ups */
            snprintf(o[n++], 128, "l%u_tlb.pipeline=all", level);
        else
            snprintf(o[n++], 128, "l%u_tlb.lookups=%u", level, 1 + (unsigned)(next(s) % 16));
    }
    if (next(s) % 2) {
        snprintf(o[n++], 128, "neighbours.policy=neidty");
        snprintf(o[n++], 128, "neighbours.update=twice-entry");
        snprintf(o[n++], 128, "l1_tlb.sub_entries=1");
        snprintf(o[n++], 128, "l1_tlb.per=sm");
        snprintf(o[n++], 128, "machine.tpcs_per_slice=3");
    }
    if (next(s) % 2) {
        snprintf(o[n++], 128, "walk.memory=flat");
        snprintf(o[n++], 128, "walk.pwc_entries=0");
    }
    /* The L3 TLB's policies that fit any geometry, and one that fits the geometry drawn last. */
    snprintf(o[n++], 128, "l3_tlb.policy=%s", next(s) % 2 ? "mask" : "subentry");
    if (next(s) % 2) {
        snprintf(o[n++], 128, "l3_tlb.policy=%s",
                 (const char *[]){"star", "static-star", "half-double-way"}[next(s) % 3]);
        snprintf(o[n++], 128, "l3_tlb.sub_entries=16");
        snprintf(o[n++], 128, "l3_tlb.ways=8");
        snprintf(o[n++], 128, "l3_tlb.entries=%u", 8u << next(s) % 10);
    }
    if (next(s) % 2) {
        snprintf(o[n++], 128, "l3_tlb.warmup_policy=%s", next(s) % 2 ? "mask" : "subentry");
        snprintf(o[n++], 128, "stats.warmup=%ju", (uintmax_t)(next(s) % 1000000));
        snprintf(o[n++], 128, "stats.runs=%s", next(s) % 2 ? "first" : "all");
    }
    snprintf(o[n++], 128, "l3_tlb.stride=%u", 1u << next(s) % 3);
    /* The scheduler that fits any page-walk system, and others for one that fits up to 7 slices and
     * tenants. */
    snprintf(o[n++], 128, "walk.scheduler=fcfs");
    if (next(s) % 2) {
        unsigned schedulers = 0;
        while (mp_walk_schedulers[schedulers])
            schedulers++;
        snprintf(o[n++], 128, "walk.scheduler=%s", mp_walk_schedulers[next(s) % schedulers]->design.name);
        snprintf(o[n++], 128, "walk.walkers_per_slice=%u", 7 + (unsigned)(next(s) % 3));
        snprintf(o[n++], 128, "walk.queue=%u", 63 + (unsigned)(next(s) % 4033));
        snprintf(o[n++], 128, "walk.compat=paper");
    }
    snprintf(o[n++], 128, "l2d.mshrs=%u", 1 + (unsigned)(next(s) % 511)); /* 16 banks per slice, 8 slices */
    unsigned page = (unsigned)(next(s) % 3);
    snprintf(o[n++], 128, "machine.page_bytes=%s", (const char *[]){"4 KiB", "64 KiB", "2 MiB"}[page]);
    snprintf(o[n++], 128, "vm.format=mempath");
    snprintf(o[n++], 128, "vm.table=radix");
    snprintf(o[n++], 128, "vm.layout=%s", page == 0 && next(s) % 2 ? "head" : "standard");
    snprintf(o[n++], 128, "vm.frames=%s", page == 0 && next(s) % 2 ? "buddy" : "ascending");
    snprintf(o[n++], 128, "machine.line_bytes=%u", 32u << next(s) % 4);
    snprintf(o[n++], 128, "sm.lanes=%u", 32u << next(s) % 2);
    snprintf(o[n++], 128, "machine.memory_per_slice=%u MiB", 16 + 2 * (unsigned)(next(s) % 1000));
    snprintf(o[n++], 128, "machine.hash=%s", next(s) % 2 ? "spread" : "interleaved"); /* fit any machine */
    snprintf(o[n++], 128, "l2d.ports=shared");
    snprintf(o[n++], 128, "l1d.loads=%s", next(s) % 2 ? "cached" : "bypassed");
    snprintf(o[n++], 128, "l1d.hash=%s", next(s) % 2 ? "spread" : "machine");
    snprintf(o[n++], 128, "sm.translate=before");
    if (next(s) % 2) {
        snprintf(o[n++], 128, "l1d.loads=cached");
        snprintf(o[n++], 128, "l1d.hash=spread");
        snprintf(o[n++], 128, "l1d.fill_bytes=0");
        snprintf(o[n++], 128, "sm.translate=after");
    }
    snprintf(o[n++], 128, "seed=%ju", (uintmax_t)next(s));
    static const char *const strings[] = {"plain",
                                          "a \"quoted\" \\ one",
                                          "two\nlines\tand a tab",
                                          " # no comment: ",
                                          "- 'x'",
                                          "Größe \xe2\x82\xac",
                                          "~",
                                          "null",
                                          "5",
                                          "*a &b !c %d @e `f"};
    snprintf(o[n++], 128, "description=%s", strings[next(s) % 10]);
    unsigned tenants = (unsigned)(next(s) % 8);
    for (unsigned t = 0; t < tenants; t++) {
        snprintf(o[n++], 128, "tenants.%u.trace=%s", t, strings[next(s) % 10]);
        snprintf(o[n++], 128, "tenants.%u.slices=1", t);
    }
    if (next(s) % 2) {
        snprintf(o[n++], 128, "machine.sharing=mps");
        for (unsigned t = 0; t < tenants; t++)
            snprintf(o[n++], 128, "tenants.%u.slices=0", t);
        if (tenants && next(s) % 2)
            snprintf(o[n++], 128, "tenants.0.sms=%u", 2 * (1 + (unsigned)(next(s) % 4)));
        snprintf(o[n++], 128, "machine.tpcs_per_slice=16");
    } else if (!tenants && next(s) % 2) {
        snprintf(o[n++], 128, "machine.sharing=mps");
        snprintf(o[n++], 128, "machine.tpcs_per_slice=9");
        snprintf(o[n++], 128, "machine.short_slices=%u", (unsigned)(next(s) % 7));
    }
    if (next(s) % 2) {
        snprintf(o[n++], 128, "dram.model=hbm");
        snprintf(o[n++], 128, "dram.burst=%u", 16 * (1 + (unsigned)(next(s) % 8)));
        snprintf(o[n++], 128, "dram.accesses=%u", 1u << next(s) % 5);
        snprintf(o[n++], 128, "dram.refi=0");
    }
    return n;
}

static void round_trip(void **state)
{
    (void)state;
    const char *given = getenv("MEMPATH_TEST_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    print_message("seed %ju (MEMPATH_TEST_SEED repeats it)\n", (uintmax_t)seed);
    uint64_t s = seed * 2 + 1;
    for (unsigned round = 0; round < 300; round++) {
        static char overrides[OVERRIDES][128];
        const char *list[OVERRIDES];
        unsigned n = random_overrides(&s, overrides);
        for (unsigned i = 0; i < n; i++)
            list[i] = overrides[i];
        struct mp_config config;
        load(&config, "", n, list);
        char *text = mp_config_text(&config), *second = again(text);
        assert_string_equal(text, second);
        mp_config_free(&config);
        free(text);
        free(second);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_end_by_override),
        cmocka_unit_test(each_end_by_file),
        cmocka_unit_test(machines_of_xor_maps),
        cmocka_unit_test(beyond_each_end),
        cmocka_unit_test(defaults_are_the_table),
        cmocka_unit_test(shipped_files_load),
        cmocka_unit_test(preset_is_the_default),
        cmocka_unit_test(bandwidths_of_data_sheets),
        cmocka_unit_test(an_empty_name_is_the_source_s),
        cmocka_unit_test(sizes_with_suffixes),
        cmocka_unit_test(round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
