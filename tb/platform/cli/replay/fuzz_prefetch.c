/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of replay prefetch. A line is refused in one line, or what it was taken for reads back
 * as the same; and every prefetcher, with its usual tables and with the smallest ones, names no more pages
 * than it may. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/replay.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct replay_prefetch_stimulus *s)
{
    char line[96];
    struct replay_prefetch_stimulus again;
    int n = snprintf(line, sizeof line, "%c", s->op);
    if (s->op != 'F')
        n += snprintf(line + n, sizeof line - (size_t)n, " %u", s->miss.asid);
    if (s->op == 'M')
        n += snprintf(line + n, sizeof line - (size_t)n, " 0x%x %u %" PRIu64, s->miss.sm, s->miss.warp,
                      s->miss.vpn);
    require(replay_prefetch_parse(line, (size_t)n, &again, NULL) == 0);
    require(again.op == s->op && again.miss.asid == s->miss.asid && again.miss.sm == s->miss.sm &&
            again.miss.warp == s->miss.warp && again.miss.vpn == s->miss.vpn);
}

static void apply(const struct mp_prefetcher *design, void *state, const struct replay_prefetch_stimulus *s)
{
    uint64_t page[MP_PREFETCH_MOST];
    uint32_t n = replay_prefetch_apply(design, state, s, page);
    require(n <= MP_PREFETCH_MOST && (s->op == 'M' || !n));
    for (uint32_t i = 0; i < n; i++)
        require(page[i] <= REPLAY_MAX_VPN);
}

static void replay_text(const struct mp_prefetcher *design, const struct mp_design_values *own,
                        const char *text, size_t size)
{
    void *state = mp_prefetcher_state(design, own);
    require(state != NULL);
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct replay_prefetch_stimulus s;
        struct mp_error err = {""};
        if (replay_prefetch_parse(text + at, length, &s, &err)) {
            require(*err.text && !strpbrk(err.text, "\n\r") && !s.op);
        } else if (s.op) {
            same_again(&s);
            apply(design, state, &s);
        }
        at += length + 1;
    }
    free(state);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (unsigned i = 0; mp_prefetchers[i]; i++) {
        const struct mp_design *design = &mp_prefetchers[i]->design;
        struct mp_design_values own = mp_design_defaults(design);
        if (!mp_prefetchers[i]->miss)
            continue;
        replay_text(mp_prefetchers[i], &own, (const char *)data, size);
        for (unsigned k = 0; k < mp_design_nparams(design); k++)
            own.v[k] = design->params[k].least;
        replay_text(mp_prefetchers[i], &own, (const char *)data, size);
    }
    return 0;
}
