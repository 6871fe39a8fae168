/* SPDX-License-Identifier: Apache-2.0 */
/* Files of the user: presets below them, cycles, files that cannot be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "config/config.h"

static char folder[] = "/tmp/mempath-config-XXXXXX";

static void write_file(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_files(void **state)
{
    (void)state;
    if (!mkdtemp(folder) || chdir(folder) || mkdir("sub", 0700))
        return -1;
    write_file("base.yaml", "description: below\nsm: {warps: 32}\nl2_tlb: {latency: 20}\n"
                            "tenants:\n  - {trace: a.gwt, slices: 4}\n  - {trace: b.gwt, slices: 3}\n");
    write_file("sub/top.yaml",
               "preset: ../base.yaml\nsm: {warps: 16}\ntenants:\n  - {app: MT, size: small, slices: 7}\n");
    write_file("machine.yaml", "preset: star-a100-mig\nl3_tlb:\n  entries: 2048\n");
    write_file("sub/traces.yaml",
               "tenants:\n  - {trace: a.gwt, slices: 2}\n  - {trace: ../b.gwt, slices: 2}\n"
               "  - {trace: /c.gwt, slices: 2}\n  - {app: BFS, size: small, input: ./roads.gr, slices: 1}\n");
    write_file("over.yaml", "preset: sub/traces.yaml\n");
    write_file("self.yaml", "\npreset: self.yaml\n");
    write_file("one.yaml", "preset: two.yaml\n");
    write_file("two.yaml", "# a comment\npreset: sub/../one.yaml\n");
    write_file("lost.yaml", "preset: star-a100-mgi\n");
    write_file("gone.yaml", "seed: 1\npreset: nowhere.yaml\n");
    write_file("below.yaml", "sm:\n  warps: 0\n");
    write_file("above.yaml", "preset: below.yaml\nsm: {warps: 1}\n");
    write_file("ways.yaml", "preset: machine.yaml\nl3_tlb:\n  latency: 50\n  ways: 5\n");
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    static const char *const names[] = {
        "base.yaml", "sub/top.yaml", "machine.yaml", "self.yaml", "one.yaml",        "two.yaml", "lost.yaml",
        "gone.yaml", "below.yaml",   "above.yaml",   "ways.yaml", "sub/traces.yaml", "over.yaml"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(names[i]);
    return rmdir("sub") || chdir("/") || rmdir(folder);
}

static void a_preset_lies_below(void **state)
{
    (void)state;
    struct mp_config config;
    struct mp_error err = {""};
    if (mp_config_load(&config, "sub/top.yaml", 0, NULL, &err))
        fail_msg("%s", err.text);
    assert_string_equal(config.name, "top");
    assert_string_equal(config.description, "below");
    assert_int_equal(mp_config_value(&config, "sm.warps"), 16);
    assert_int_equal(mp_config_value(&config, "l2_tlb.latency"), 20);
    assert_int_equal(config.ntenants, 1); /* a list replaces the list of the preset */
    assert_string_equal(config.tenant[0].app, "MT");
    assert_null(config.tenant[0].trace);
    mp_config_free(&config);
    assert_int_equal(
        mp_config_load(&config, "machine.yaml", 1, (const char *[]){"l3_tlb.entries=4096"}, &err), 0);
    assert_int_equal(mp_config_value(&config, "l3_tlb.entries"), 4096); /* the command line has precedence */
    assert_string_equal(config.changes, "l3_tlb.entries=4096");
    mp_config_free(&config);
    assert_int_equal(mp_config_load(&config, "sub/top.yaml", 0, NULL, &err), 0);
    assert_string_equal(config.changes, "sm.warps=16 l2_tlb.latency=20"); /* from the user's files */
    mp_config_free(&config);
}

/* A '!' at the beginning represents the test's folder. */
static void tenant_paths_are(const struct mp_config *config, unsigned n, const char *const *paths)
{
    char path[300];
    assert_int_equal(config->ntenants, n);
    for (unsigned i = 0; i < n; i++) {
        const struct mp_tenant_config *t = &config->tenant[i];
        bool ours = paths[i][0] == '!';
        snprintf(path, sizeof path, "%s%s", ours ? folder : "", paths[i] + ours);
        assert_string_equal(t->trace ? t->trace : t->input, path);
    }
}

/* Paths in a file begin in the file's folder, and those of --set in the current folder. The effective
 * configuration has absolute paths, so that it runs from any folder. */
static void paths_of_traces_and_inputs(void **state)
{
    (void)state;
    struct mp_config config, again;
    struct mp_error err = {""};
    static const char *const from_file[] = {"!/sub/a.gwt", "!/sub/../b.gwt", "/c.gwt", "!/sub/roads.gr"};
    static const char *const from_set[] = {"!/d.gwt", "!/sub/../b.gwt", "/e.gwt", "!/roads.gr"};
    static const char *const set[] = {"tenants.0.trace=d.gwt", "tenants.2.trace=/e.gwt",
                                      "tenants.3.input=./roads.gr"};
    static const char *const name[] = {"sub/traces.yaml",
                                       "over.yaml"}; /* the file itself as configuration, and as preset */
    for (unsigned i = 0; i < 2; i++) {
        if (mp_config_load(&config, name[i], 0, NULL, &err))
            fail_msg("%s", err.text);
        tenant_paths_are(&config, 4, from_file);
        char *text = mp_config_text(&config);
        mp_config_free(&config);
        assert_int_equal(chdir("/"), 0);
        assert_int_equal(mp_config_load_text(&again, "stored", text, strlen(text), 0, NULL, &err), 0);
        tenant_paths_are(&again, 4, from_file);
        mp_config_free(&again);
        free(text);
        assert_int_equal(chdir(folder), 0);
        assert_int_equal(mp_config_load(&config, name[i], 3, set, &err), 0);
        tenant_paths_are(&config, 4, from_set);
        mp_config_free(&config);
    }
    /* Databases of earlier versions have relative paths, which remain as they were recorded. */
    static const char old[] = "tenants: [{trace: a.gwt, slices: 1}]\n";
    assert_int_equal(mp_config_load_text(&again, "stored", old, strlen(old), 0, NULL, &err), 0);
    assert_string_equal(again.tenant[0].trace, "a.gwt");
    mp_config_free(&again);
}

#define SHIPPED                                                                                              \
    "a100-80g, dws-30sm, fgpu-gtx1080, fgpu-v100, h100-sxm, mesc-16cu, neidty-16sm, star-a100-mig, "         \
    "star-mgpusim, uvm-1080ti, demo, "                                                                       \
    "fgpu/gtx1080-mig to fgpu/v100-mig, llm/phases to llm/serve, star/w1 "                                   \
    "to star/w18, uvm/a100 to uvm/smart, or "                                                                \
    "the path of a YAML file"

static void files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *file, *message;
    } table[] = {
        {"self.yaml", "self.yaml:2: preset self.yaml leads back to itself; presets must not form a circle"},
        {"one.yaml",
         "two.yaml:2: preset sub/../one.yaml leads back to itself; presets must not form a circle"},
        {"lost.yaml",
         "lost.yaml:1: no preset or experiment 'star-a100-mgi'; nearest is star-a100-mig, of " SHIPPED},
        {"gone.yaml", "gone.yaml:2: nowhere.yaml: cannot be read (No such file or directory); a YAML file"},
        {"above.yaml", "below.yaml:2: sm.warps = '0' is too small; 1 to 64 (warps)"},
        {"ways.yaml",
         "ways.yaml:4: l3_tlb.entries = 2048 gives no whole number of sets with l3_tlb.ways = 5; 5 times "
         "a whole number: 2045 or 2050"},
        {"star/w22", "star/w22: no such preset or experiment; nearest is star/w2, of " SHIPPED},
        {"none.yaml", "none.yaml: cannot be read (No such file or directory); a YAML file"},
        {"sub", "sub: cannot be read (Is a directory); a YAML file"},
        {"/dev/zero", "/dev/zero: cannot be read (larger than 1 MiB); a YAML file"},
    };
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct mp_config config;
        struct mp_error err = {""};
        assert_int_equal(mp_config_load(&config, table[i].file, 0, NULL, &err), -1);
        assert_string_equal(err.text, table[i].message);
        assert_null(config.name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_preset_lies_below),
                                       cmocka_unit_test(paths_of_traces_and_inputs),
                                       cmocka_unit_test(files_are_refused)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
