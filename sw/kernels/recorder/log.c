/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The logs of warps' events. A trace holds each warp's stream in one piece, but at barriers the warps of a
 * group take turns, so their events are kept here, packed, until the group has ended.
 *
 * An event takes two words (gap, pc, form and kind; mask), then base and stride, or one address per lane.
 */
#include "launch.h"

#include <stdlib.h>

enum form { FORM_NONE, FORM_STRIDE, FORM_LIST };

static uint64_t *reserve(struct launch *l, struct log *log, size_t words)
{
    if (log->n + words > log->room) {
        const size_t room = 2 * log->room + words + 256;
        uint64_t *more = realloc(log->word, room * sizeof *more);
        if (!more)
            record_fail(l->what, "out of memory for the events of one work-group of kernel %s",
                        l->kernel->name);
        log->word = more;
        log->room = room;
    }
    log->n += words;
    return log->word + log->n - words;
}

static enum form form_of(const struct gwt_event *e)
{
    if (e->kind != GWT_ACCESS)
        return FORM_NONE;
    for (unsigned i = 2; i < e->active; i++)
        if (e->lane[i] - e->lane[i - 1] != e->lane[1] - e->lane[0])
            return FORM_LIST;
    return FORM_STRIDE;
}

void warp_emit(struct launch *l, struct warp *w, const struct gwt_event *e)
{
    if (!l->logs) {
        gwt_write_event(l->writer, e);
        return;
    }
    const enum form form = form_of(e);
    const size_t words[] = {[FORM_NONE] = 0, [FORM_STRIDE] = 2, [FORM_LIST] = e->active};
    uint64_t *word = reserve(l, &w->log, 2 + words[form]);
    *word++ = (uint64_t)e->kind << 60 | (uint64_t)form << 56 | (uint64_t)e->pc << 32 | e->gap;
    *word++ = e->mask;
    if (form == FORM_STRIDE) {
        word[0] = e->lane[0];
        word[1] = e->active > 1 ? e->lane[1] - e->lane[0] : 0;
    } else if (form == FORM_LIST) {
        for (unsigned i = 0; i < e->active; i++)
            word[i] = e->lane[i];
    }
}

void warp_write_log(struct launch *l, struct warp *w)
{
    struct gwt_event e = {0};
    for (const uint64_t *word = w->log.word, *end = word + w->log.n; word < end;) {
        e.gap = (uint32_t)word[0];
        e.pc = word[0] >> 32 & 0xffffff; /* GWT allows 16,384 */
        e.kind = (uint8_t)(word[0] >> 60);
        e.mask = word[1];
        e.active = (uint8_t)__builtin_popcountll(e.mask);
        const enum form form = (enum form)(word[0] >> 56 & 0xf);
        word += 2;
        if (e.kind == GWT_ACCESS) {
            e.op = (uint8_t)l->kernel->accesses[e.pc].op;
            e.bytes = l->kernel->accesses[e.pc].bytes;
            for (unsigned i = 0; i < e.active; i++)
                e.lane[i] = form == FORM_LIST ? word[i] : word[0] + i * word[1];
            word += form == FORM_LIST ? e.active : 2;
        }
        gwt_write_event(l->writer, &e);
    }
    w->log.n = 0;
}
