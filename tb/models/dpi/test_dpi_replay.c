/* SPDX-License-Identifier: Apache-2.0 */
/* The library gives the same answers as `mempath replay`, policy by policy, on the stimuli of the fuzzers'
 * corpora. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/replay/replay.h"
#include "dpi/mempath_models.h"

#define MOST 4096u /* stimuli */

/* ---- what the command prints ---- */

/* Runs the command with the words of `arguments` and the file, and returns its stdout as text. */
static char *replay(const char *block, const char *arguments, const char *file)
{
    char copy[256], command[] = "replay", *argv[32], *text = NULL;
    int argc = 0;
    size_t size;
    struct cli cli = {.progress = 0};
    FILE *out = tmpfile(), *f = open_memstream(&text, &size);
    assert_non_null(out);
    assert_non_null(f);
    snprintf(copy, sizeof copy, "%s %s %s", block, arguments, file);
    argv[argc++] = command;
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    fflush(stdout);
    int old = dup(STDOUT_FILENO);
    dup2(fileno(out), STDOUT_FILENO);
    int code = cmd_replay(&cli, argc, argv);
    fflush(stdout);
    dup2(old, STDOUT_FILENO);
    close(old);
    assert_int_equal(code, 0);
    rewind(out);
    for (int c; (c = getc(out)) != EOF;)
        putc(c, f);
    fclose(out);
    fclose(f);
    return text;
}

/* ---- TLBs ---- */

static void respond(void *tlb, const struct replay_tlb_stimulus *s, FILE *out)
{
    const char *action;
    unsigned long long pfn;
    unsigned cycles, way, lost;
    int result;
    switch (s->op) {
    case 'L':
        result = mempath_tlb_lookup(tlb, s->asid, s->vpn, &pfn, &cycles);
        if (result == 1)
            fprintf(out, "hit %llu %u\n", pfn, cycles);
        else
            fprintf(out, "miss %u\n", cycles);
        break;
    case 'I':
        result = mempath_tlb_insert(tlb, s->asid, s->vpn, s->pfn, &action, &way, &lost);
        fprintf(out, "%s way=%u evicted=%u\n", action, way, lost);
        break;
    case 'V':
        result = mempath_tlb_invalidate_page(tlb, s->asid, s->vpn);
        fprintf(out, "invalidated=%d\n", result);
        break;
    case 'A':
        result = mempath_tlb_invalidate_asid(tlb, s->asid);
        fprintf(out, "invalidated=%d\n", result);
        break;
    default:
        result = mempath_tlb_invalidate_all(tlb);
        fprintf(out, "invalidated=%d\n", result);
        break;
    }
    if (result == MEMPATH_ERROR)
        fail_msg("refused: %s", mempath_error());
}

static char *by_library(const char *policy, const char *parameters, const char *file)
{
    char *text = NULL, line[256];
    size_t size;
    FILE *in = fopen(file, "r"), *out = open_memstream(&text, &size);
    void *tlb = mempath_tlb_new(policy, parameters);
    if (!tlb)
        fail_msg("%s %s: %s", policy, parameters, mempath_error());
    assert_non_null(in);
    assert_non_null(out);
    while (fgets(line, sizeof line, in)) {
        struct replay_tlb_stimulus s;
        assert_int_equal(replay_tlb_parse(line, strcspn(line, "\n"), &s, NULL), 0);
        if (s.op)
            respond(tlb, &s, out);
    }
    fclose(in);
    fclose(out);
    mempath_destroy(tlb);
    return text;
}

static void test_tlbs(void **state)
{
    static const struct {
        const char *policy, *options, *parameters;
    } cases[] = {
        {"subentry", "--sets 2 --ways 4", "sets=2 ways=4"},
        {"subentry", "--sets 4 --ways 2 --sub-entries 4 --latency 7",
         "sets=4 ways=2 sub_entries=4 latency=7"},
        {"subentry", "", ""},
        {"star", "--sets 2 --ways 4", "sets=2 ways=4"},
        {"star", "--sets 2 --ways 2 --stride 4 --base-latency 3", "sets=2 ways=2 stride=4 base_latency=3"},
        {"star", "", ""},
        {"star-sequential", "--sets 2 --ways 2", "sets=2 ways=2"},
        {"star-stride", "--sets 2 --ways 2 --stride 2", "sets=2 ways=2 stride=2"},
        {"star4", "--sets 1 --ways 2", "sets=1 ways=2"},
        {"half-double-set", "--sets 2 --ways 2", "sets=2 ways=2"},
        {"half-double-way", "--sets 1 --ways 2", "sets=1 ways=2"},
        {"half-double-way-seq", "--sets 1 --ways 2", "sets=1 ways=2"},
        {"static", "--sets 2 --ways 4 --tenant-ways 2,1,1", "sets=2 ways=4 tenant_ways=2,1,1"},
        {"static-star", "--sets 2 --ways 4 --tenant-ways 1,2,1", "sets=2 ways=4 tenant_ways=1,2,1"},
    };
    static const char *const files[] = {"mixed", "star", "session"};
    char options[128], path[256];
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned k = 0; k < (strstr(cases[i].policy, "static") ? 1 : 3); k++) {
            snprintf(path, sizeof path, "%s/replay_tlb/%s", STIMULI, files[k]);
            snprintf(options, sizeof options, "--policy %s %s", cases[i].policy, cases[i].options);
            char *wanted = replay("tlb", options, path);
            char *got = by_library(cases[i].policy, cases[i].parameters, path);
            assert_true(strlen(wanted) > 100);
            assert_string_equal(got, wanted);
            free(wanted);
            free(got);
        }
}

/* ---- walks ---- */

struct stream {
    struct replay_walk walk[MOST];
    size_t walks;
};

static int by_cycle(const void *a, const void *b)
{
    const struct replay_walk *x = a, *y = b;
    return x->arrive != y->arrive ? (x->arrive < y->arrive ? -1 : 1) : (x->line < y->line ? -1 : 1);
}

/* The walks of a corpus, renumbered in order of arrival, with tenants below `tenants`. */
static void read_walks(struct stream *s, const char *file, unsigned tenants)
{
    char path[256], line[256];
    snprintf(path, sizeof path, "%s/replay_walks/%s", STIMULI, file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    for (s->walks = 0; s->walks < MOST && fgets(line, sizeof line, in);) {
        struct replay_walk *w = &s->walk[s->walks];
        if (replay_walks_parse(line, strcspn(line, "\n"), w, NULL) != 1)
            continue;
        w->tenant = (uint8_t)(w->tenant % tenants);
        w->line = s->walks++;
    }
    fclose(in);
    qsort(s->walk, s->walks, sizeof *s->walk, by_cycle);
    for (size_t i = 0; i < s->walks; i++)
        s->walk[i].id = i;
}

/* A walk for which there is no room waits outside, as in front of a walk system. The library does not know
 * about it. */
struct outside {
    size_t walk[MOST], waiting;
};

struct driver {
    void *model;
    struct stream *s;
    struct outside out;
    uint64_t now, latency;
    unsigned walkers;
    bool one_line, published;
};

static void start(struct driver *d, unsigned walker, size_t i)
{
    unsigned long long id;
    unsigned places, stolen;
    int owner;
    struct replay_walk *w = &d->s->walk[i];
    assert_int_equal(mempath_walks_walker(d->model, walker, &id, &owner, &places, &stolen), 1);
    assert_int_equal(id, i);
    w->start = d->now;
    w->finish = d->now + d->latency;
    w->walker = walker;
    w->stolen = owner >= 0 && owner != w->tenant;
}

static void ask(struct driver *d, size_t i)
{
    bool behind = false;
    for (size_t k = 0; k < d->out.waiting; k++)
        behind |= d->one_line || (!d->published && d->s->walk[d->out.walk[k]].tenant == d->s->walk[i].tenant);
    int walker = behind ? MEMPATH_NO_ROOM : mempath_walks_arrive(d->model, d->s->walk[i].tenant, i);
    if (walker == MEMPATH_NO_ROOM)
        d->out.walk[d->out.waiting++] = i;
    else if (walker >= 0)
        start(d, (unsigned)walker, i);
}

/* Admits the walks that wait outside, as long as there is room. */
static void retry(struct driver *d)
{
    for (size_t k = 0; k < d->out.waiting;) {
        size_t i = d->out.walk[k];
        if (mempath_walks_room(d->model, d->s->walk[i].tenant) != 1) {
            if (d->one_line)
                return;
            k++;
            continue;
        }
        memmove(&d->out.walk[k], &d->out.walk[k + 1], (--d->out.waiting - k) * sizeof *d->out.walk);
        int walker = mempath_walks_arrive(d->model, d->s->walk[i].tenant, i);
        assert_true(walker >= MEMPATH_QUEUED);
        if (walker >= 0)
            start(d, (unsigned)walker, i);
        if (d->published)
            return;
        k = 0;
    }
}

static void complete(struct driver *d)
{
    unsigned long long id;
    unsigned places, stolen;
    int owner;
    for (unsigned w = 0; w < d->walkers; w++)
        if (mempath_walks_walker(d->model, w, &id, &owner, &places, &stolen) == 1 &&
            d->s->walk[id].finish <= d->now && mempath_walks_complete(d->model, w, &id) == 1)
            start(d, w, (size_t)id);
}

static char *walks_by_library(struct driver *d)
{
    char *text = NULL;
    size_t size, done = 0, arrived = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (; done < d->s->walks; d->now++) {
        complete(d);
        retry(d);
        while (arrived < d->s->walks && d->s->walk[arrived].arrive == d->now)
            ask(d, arrived++);
        while (done < arrived && d->s->walk[done].finish)
            done++;
    }
    for (size_t i = 0; i < d->s->walks; i++) {
        const struct replay_walk *w = &d->s->walk[i];
        fprintf(out, "%zu %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %d\n", i, w->tenant, w->arrive, w->start,
                w->finish, w->walker, w->stolen);
    }
    fclose(out);
    return text;
}

static void test_walks(void **state)
{
    static const struct {
        const char *policy, *options, *parameters;
        unsigned walkers, latency, tenants;
    } cases[] = {
        {"fcfs", "--walkers 4 --queue 16", "walkers=4 queue=16", 4, 60, 2},
        {"static", "--walkers 4 --queue 16", "walkers=4 queue=16", 4, 60, 2},
        {"static", "--walkers 6 --queue 12 --tenants 3 --owners blocked",
         "walkers=6 queue=12 tenants=3 owners=blocked", 6, 90, 3},
        {"dws", "--walkers 4 --queue 16", "walkers=4 queue=16", 4, 60, 2},
        {"dws", "--walkers 4 --queue 16 --compat hpca21", "walkers=4 queue=16 compat=hpca21", 4, 60, 2},
        {"dws++", "", "", 16, 400, 2},
        {"dws++", "--walkers 4 --queue 16 --epoch 10", "walkers=4 queue=16 epoch=10", 4, 60, 2},
        {"dws++", "--walkers 4 --queue 16 --epoch 10 --thresholds aggressive --queue-threshold 0.3",
         "walkers=4 queue=16 epoch=10 thresholds=aggressive queue_threshold=30", 4, 60, 2},
        {"dws++", "--walkers 4 --queue 16 --epoch 12 --thresholds conservative --compat hpca21",
         "walkers=4 queue=16 epoch=12 thresholds=conservative compat=hpca21", 4, 60, 2},
    };
    static const char *const files[] = {"burst", "flood"};
    char options[192], path[] = "/tmp/mempath-walks-XXXXXX";
    struct stream *s = malloc(sizeof *s);
    struct driver *d = malloc(sizeof *d);
    (void)state;
    assert_non_null(s);
    assert_non_null(d);
    close(mkstemp(path));
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned k = 0; k < 2; k++) {
            read_walks(s, files[k], cases[i].tenants);
            assert_true(s->walks > 200);
            FILE *f = fopen(path, "w");
            assert_non_null(f);
            for (size_t n = 0; n < s->walks; n++)
                fprintf(f, "%" PRIu64 " %u %zu\n", s->walk[n].arrive, s->walk[n].tenant, n);
            fclose(f);
            snprintf(options, sizeof options, "--policy %s --latency %u %s", cases[i].policy,
                     cases[i].latency, cases[i].options);
            char *wanted = replay("walks", options, path);
            bool one_line = mp_walk_scheduler_find(cases[i].policy)->one_line;
            *d = (struct driver){.model = mempath_walks_new(cases[i].policy, cases[i].parameters),
                                 .s = s,
                                 .latency = cases[i].latency,
                                 .walkers = cases[i].walkers,
                                 .one_line = one_line,
                                 .published = strstr(cases[i].options, "hpca21") && !one_line};
            if (!d->model)
                fail_msg("%s", mempath_error());
            char *got = walks_by_library(d);
            assert_string_equal(got, wanted);
            free(wanted);
            free(got);
            mempath_destroy(d->model);
        }
    unlink(path);
    free(s);
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tlbs), cmocka_unit_test(test_walks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
