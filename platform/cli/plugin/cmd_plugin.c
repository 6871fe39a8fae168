/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/embedded.h"
#include "cli/plugin/plugin.h"
#include "cli/spawn.h"

static const char doc[] =
    "Writes a folder with a design that works, as a start for one of your own: NAME.c, CMakeLists.txt and "
    "test.sh. It needs the headers of mempath (pkg-config mempath-plugin) and a C compiler. "
    "Commands that use designs add it with --plugin NAME.so.\v"
    "KIND is tlb_policy, prefetcher, walk_scheduler, walk_method, page_table_design, warp_scheduler, "
    "dispatch_policy, address_map, frame_allocator, neighbour_policy, neighbour_update, uvm_prefetch, "
    "uvm_evict or uvm_migrate; or module: "
    "NAME.cpp, a SystemC module on links of the machine. FOLDER is a new one; without it, NAME.\n"
    "\n"
    "Examples:\n"
    "  mempath plugin new tlb_policy lazy\n"
    "  mempath plugin new walk_scheduler patient ./patient-1\n"
    "  mempath plugin new module slow";

struct language {
    const char *name, *suffix, *packages, *test; /* as CMake names it, of its files; its test's template */
};

static const struct language in_c = {"C", "c", "", "test.sh"};
static const struct language in_replay = {"C", "c", "", "replay.sh"};
static const struct language in_cxx = {"CXX", "cpp", " systemc", "module.sh"};

#define DIRECT " --set neighbours.policy=direct"
#define PROBE  " --set walk.method=probe"

/* What the test of a new design sets: the parameter that chooses it; another value, of its own parameter or,
 * as PATH=VALUE, of another one, which must change results; what it needs besides. Of a replay: the option;
 * the design with the same answers; one with others. */
static const struct {
    const char *kind;
    const struct language *language;
    const char *choice, *other, *besides;
} templates[] = {{"tlb_policy", &in_c, "l3_tlb.policy", "every=4", ""},
                 {"prefetcher", &in_c, "l1_tlb.prefetch", "degree=4", ""},
                 {"walk_scheduler", &in_c, "walk.scheduler", "newest=true", ""},
                 {"walk_method", &in_c, "walk.method", "fresh=true", ""},
                 {"page_table_design", &in_c, "vm.table", "first=1", PROBE},
                 {"warp_scheduler", &in_c, "sm.scheduler", "sm.scheduler=gto", ""},
                 {"dispatch_policy", &in_c, "machine.dispatch", "groups=4", ""},
                 {"address_map", &in_c, "machine.hash", "neighbours=16", ""},
                 {"frame_allocator", &in_c, "vm.frames", "waste=3", ""},
                 {"neighbour_policy", &in_c, "neighbours.policy", "neighbours.policy=none", ""},
                 {"neighbour_update", &in_c, "neighbours.update", "neighbours.update=exclusive", DIRECT},
                 {"uvm_prefetch", &in_replay, "prefetch", "sl64", "none"},
                 {"uvm_evict", &in_replay, "evict", "driver", "lru2m"},
                 {"uvm_migrate", &in_replay, "migrate", "first-touch", "host"},
                 {"module", &in_cxx, "", "", ""}};
#define TEMPLATES (sizeof templates / sizeof *templates)

struct values {
    const char *word[4]; /* new KIND NAME FOLDER */
    unsigned words;
};

static int argument(void *values, int key, const char *arg, struct mp_error *err)
{
    struct values *v = values;
    if (key != ARGP_KEY_ARG)
        return 0;
    if (v->words == sizeof v->word / sizeof *v->word)
        return mp_fail(err, "plugin: '%s' is unexpected; new KIND NAME [FOLDER]", arg);
    v->word[v->words++] = arg;
    return 0;
}

static const char *action_name(unsigned i)
{
    return i ? NULL : "new";
}

/* Position in templates[]; -1 with err. */
static int find_template(const char *kind, struct mp_error *err)
{
    char names[256];
    size_t n = 0;
    for (unsigned i = 0; i < TEMPLATES; i++) {
        if (!strcmp(templates[i].kind, kind))
            return (int)i;
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", templates[i].kind);
    }
    return mp_fail(err, "plugin new: '%.40s' is no kind of design; %s", kind, names);
}

/* Writes a template, in which marks such as @NAME@ are replaced. */
static void fill_in(FILE *f, const char *text, int kind, const char *name)
{
    const struct language *language = templates[kind].language;
    const char *setting = templates[kind].other;
    char other[96];
    const bool own = language == &in_c && !strchr(setting, '.');
    snprintf(other, sizeof other, "%s%s%s", own ? name : "", own ? "." : "", setting);
    const struct {
        const char *mark, *value;
    } marks[] = {{"@NAME@", name},
                 {"@CHOICE@", templates[kind].choice},
                 {"@OTHER@", other},
                 {"@BESIDES@", templates[kind].besides},
                 {"@LANGUAGE@", language->name},
                 {"@SUFFIX@", language->suffix},
                 {"@PACKAGES@", language->packages}};
    const unsigned n = sizeof marks / sizeof *marks;
    while (*text) {
        unsigned i = 0;
        while (i < n && strncmp(text, marks[i].mark, strlen(marks[i].mark)) != 0)
            i++;
        if (i < n) {
            fputs(marks[i].value, f);
            text += strlen(marks[i].mark);
        } else {
            putc(*text++, f);
        }
    }
}

static int write_file(const char *folder, const char *file, const char *text, int kind, const char *name,
                      struct mp_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "wx");
    if (f)
        fill_in(f, text, kind, name);
    if (!f || fclose(f))
        return mp_fail(err, "%s: %s; a folder that can be written", path, strerror(errno));
    return 0;
}

static int write_folder(const char *folder, int kind, const char *name, struct mp_error *err)
{
    char source[64], code[64];
    const struct language *language = templates[kind].language;
    snprintf(source, sizeof source, "%s.%s", templates[kind].kind, language->suffix);
    snprintf(code, sizeof code, "%s.%s", name, language->suffix);
    if (mkdir(folder, 0777))
        return mp_fail(err, "%s: %s; the name of a new folder", folder, strerror(errno));
    return write_file(folder, code, cli_file_text(plugin_files, source), kind, name, err) ||
                   write_file(folder, "CMakeLists.txt", cli_file_text(plugin_files, "cmake.txt"), kind, name,
                              err) ||
                   write_file(folder, "test.sh", cli_file_text(plugin_files, language->test), kind, name, err)
               ? -1
               : 0;
}

/* In a build, pkg-config does not find the headers by itself. */
static void say_how(const char *folder, const char *name, const char *suffix)
{
    char *headers = spawn_beside("pkgconfig");
    printf("%s has %s.%s, CMakeLists.txt and test.sh. Build and test it:\n", folder, name, suffix);
    if (!access(headers, R_OK))
        printf("  export PKG_CONFIG_PATH=%s\n", headers);
    printf("  cmake -S %s -B %s/build && cmake --build %s/build && ctest --test-dir %s/build\n", folder,
           folder, folder, folder);
    free(headers);
}

int cmd_plugin(struct cli *cli, int argc, char **argv)
{
    static const struct cli_usage usage = {.command = "mempath plugin",
                                           .args = "new KIND NAME [FOLDER]",
                                           .doc = doc,
                                           .option = argument,
                                           .word = action_name};
    struct values v = {.words = 0};
    struct mp_error err;
    int code;
    if (!cli_parse(cli, &usage, argc, argv, &v, &code))
        return code;
    if (v.words && strcmp(v.word[0], "new") != 0)
        return cli_fail(CLI_USAGE, "plugin: unknown action '%s'; new KIND NAME [FOLDER]", v.word[0]);
    if (v.words < 3)
        return cli_fail(CLI_USAGE,
                        "plugin: words are missing; new KIND NAME [FOLDER], as in new tlb_policy lazy");
    int kind = find_template(v.word[1], &err);
    const char *name = v.word[2], *folder = v.words > 3 ? v.word[3] : name;
    if (kind < 0)
        return cli_fail(CLI_USAGE, "%s", err.text);
    if (plugin_check_name(name, &err))
        return cli_fail(CLI_USAGE, "plugin new: %s", err.text);
    if (write_folder(folder, kind, name, &err))
        return cli_fail(CLI_USAGE, "%s", err.text);
    say_how(folder, name, templates[kind].language->suffix);
    return CLI_DONE;
}
