/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of replay neighbours. A line is refused in one line, or what it was taken for reads
 * back as the same; and every policy with every update, driven by the lines that were taken, keeps what
 * directories promise. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/replay.h"

#define SMS     5u
#define ENTRIES 3u

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct replay_neighbours_stimulus *s)
{
    char line[96];
    struct replay_neighbours_stimulus again;
    int n = snprintf(line, sizeof line, "%c", s->op);
    if (strchr("LD", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " %u", s->sm);
    if (strchr("LVA", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " %u", s->asid);
    if (strchr("LV", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " 0x%" PRIx64, s->vpn);
    if (s->op == 'L')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64, s->pfn);
    require(replay_neighbours_parse(line, (size_t)n, SMS, &again, NULL) == 0);
    require(again.op == s->op && again.sm == s->sm && again.asid == s->asid && again.vpn == s->vpn &&
            again.pfn == s->pfn);
}

static bool has(const struct replay_neighbours_system *system, uint32_t sm, uint16_t asid, uint64_t vpn)
{
    return system->neighbour[sm].holds(system->array[sm], asid, vpn);
}

static void check_directories(const struct replay_neighbours_system *system)
{
    for (uint32_t i = 0; i < SMS; i++) {
        const struct mp_directory *d = system->neighbour[i].directory;
        require(!d == !system->p.policy->has_directory);
        require(!d || d->count <= d->capacity);
        for (uint32_t k = 0; d && k < d->count; k++) {
            require(d->entry[k].bits & (MP_DIRECTORY_LEFT | MP_DIRECTORY_RIGHT));
            require(mp_directory_find(d, d->entry[k].tag) == &d->entry[k]); /* no tag twice */
        }
    }
}

static void apply(struct replay_neighbours_system *system, const struct replay_neighbours_stimulus *s)
{
    if (s->op == 'L') {
        bool held = has(system, s->sm, s->asid, s->vpn);
        struct replay_neighbours_answer a = replay_neighbours_request(system, s->sm, s->asid, s->vpn, s->pfn);
        require(held == (a.from == REPLAY_FROM_OWN));
        require(has(system, s->sm, s->asid, s->vpn) == (held || a.load));
        require(a.from != REPLAY_FROM_NEXT || (a.load && a.pfn == s->pfn));
        require(a.from < 0 || (a.probes && has(system, (uint32_t)a.from, s->asid, s->vpn)));
    } else if (s->op != 'D') {
        require(replay_neighbours_invalidate(system, s) <= SMS * ENTRIES);
        for (uint32_t i = 0; i < SMS; i++)
            require(!has(system, i, s->asid, s->vpn));
    }
    check_directories(system);
}

static void replay_text(const struct replay_neighbours_params *p, const char *text, size_t size)
{
    struct replay_neighbours_system system;
    require(replay_neighbours_init(&system, p) == 0);
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct replay_neighbours_stimulus s;
        struct mp_error err = {""};
        if (replay_neighbours_parse(text + at, length, SMS, &s, &err)) {
            require(*err.text && !strpbrk(err.text, "\n\r") && !s.op);
        } else if (s.op) {
            same_again(&s);
            apply(&system, &s);
        }
        at += length + 1;
    }
    replay_neighbours_free(&system);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned i = 0; mp_neighbour_policies[i]; i++)
        for (unsigned update = 0; mp_neighbour_updates[update]; update++) {
            struct replay_neighbours_params p = {.policy = mp_neighbour_policies[i],
                                                 .values =
                                                     mp_design_defaults(&mp_neighbour_policies[i]->design),
                                                 .sms = SMS,
                                                 .entries = ENTRIES,
                                                 .latency = 1,
                                                 .below = 10};
            p.values.v[MP_NEIGHBOUR_UPDATE] = update;
            p.values.v[MP_NEIGHBOUR_DIRECTORY] = 2;
            p.values.v[MP_NEIGHBOUR_TAG_BITS] = 4;
            if (!mp_neighbour_check(p.policy, &p.values, NULL))
                replay_text(&p, (const char *)data, size);
        }
    return 0;
}
