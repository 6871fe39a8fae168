/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of replay walks. A line is refused in one line, or what it was taken for reads back as
 * the same; and under every scheduler each walk that was taken is served once, by a walker that is free. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/replay.h"

#define TENANTS 3u
#define WALKERS 4u
#define LATENCY 3u
#define MOST    512u

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct replay_walk *w)
{
    char line[100];
    struct replay_walk again;
    int n = snprintf(line, sizeof line, "%" PRIu64 " 0x%x %" PRIu64 " %u %u %u %u", w->arrive,
                     (unsigned)w->tenant, w->id, w->sm, w->warp, w->instruction, w->reads);
    if (w->page != REPLAY_NO_PAGE)
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64, w->page);
    require(replay_walks_parse(line, (size_t)n, &again, NULL) == 1);
    require(again.arrive == w->arrive && again.tenant == w->tenant && again.id == w->id);
    require(again.sm == w->sm && again.warp == w->warp && again.instruction == w->instruction &&
            again.reads == w->reads && again.page == w->page);
}

/* The walks of a text in an order of arrival that a file may have. */
static size_t parse(const char *text, size_t size, struct replay_walk *walk)
{
    size_t n = 0;
    uint64_t last = 0;
    for (size_t at = 0; at < size && n < MOST;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct mp_error err = {""};
        int found = replay_walks_parse(text + at, length, &walk[n], &err);
        if (found < 0)
            require(*err.text && !strpbrk(err.text, "\n\r"));
        if (found > 0) {
            same_again(&walk[n]);
            last += walk[n].arrive % 8;
            walk[n].arrive = last;
            walk[n].page = walk[n].page == REPLAY_NO_PAGE ? walk[n].id % 16 : walk[n].page;
            walk[n++].tenant %= TENANTS;
        }
        at += length + 1;
    }
    return n;
}

/* Whether one is in flight while the other is. */
static int overlap(const struct replay_walk *a, const struct replay_walk *b)
{
    return a->finish > b->start && b->finish > a->start;
}

/* Another walk has answered it: one of its tenant to its line, which was in flight. */
static void check_answered(const struct replay_walk *w, const struct replay_walk *walk, size_t n,
                           uint32_t line)
{
    size_t by = 0;
    require(w->start == w->finish && w->start > w->arrive && !w->stolen);
    while (by < n && (walk[by].id != w->by || walk[by].start == walk[by].finish ||
                      walk[by].finish != w->finish || walk[by].walker != w->walker ||
                      walk[by].tenant != w->tenant || walk[by].page / line != w->page / line))
        by++;
    require(by < n);
}

static void check(const struct replay_walk_system *system, const struct replay_walk *walk, size_t n)
{
    const struct mp_walk_scheduler *s = system->scheduler;
    for (size_t i = 0; i < n; i++) {
        const struct replay_walk *w = &walk[i];
        require(w->start >= w->arrive && w->walker < WALKERS);
        if (w->start == w->finish) {
            require(system->line);
            check_answered(w, walk, n, system->line);
            continue;
        }
        require(w->finish == w->start + LATENCY && w->by == w->id);
        require(w->stolen == (s->owner && w->walker % TENANTS != w->tenant));
        require(!s->wake || !w->stolen); /* walkers that may be idle while others' walks wait */
        for (size_t k = 0; k < i; k++) {
            require(walk[k].walker != w->walker || !overlap(&walk[k], w));
            require(!system->line || walk[k].tenant != w->tenant ||
                    walk[k].page / system->line != w->page / system->line || !overlap(&walk[k], w));
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct replay_walk walk[MOST];
    size_t n = parse((const char *)data, size, walk);
    for (unsigned i = 0; mp_walk_schedulers[i]; i++)
        for (int compat = 0; compat <= (mp_walk_schedulers[i]->published >= TENANTS); compat++) {
            struct replay_walk_system system = {
                .scheduler = mp_walk_schedulers[i],
                .geometry = {.walkers = WALKERS, .queue = 8, .tenants = TENANTS},
                .rules = {.compat = compat ? MP_WALK_HPCA21 : MP_WALK_PAPER,
                          .epoch = 7,
                          .thresholds = mp_walk_thresholds[2]},
                .latency = LATENCY};
            for (int shares = 0; shares < 2; shares++) {
                system.line = shares ? 2 : 0;
                require(replay_walks_run(&system, walk, n) == 0);
                check(&system, walk, n);
            }
        }
    return 0;
}
