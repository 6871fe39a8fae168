/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as stimuli of replay uvm, under designs that follow from its length. A line is refused in one
 * line, or what it was taken for reads back as the same; spaces stay in the pool, and no page is in two
 * places. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/replay/uvm.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static void same_again(const struct replay_uvm_stimulus *s)
{
    char line[120];
    struct replay_uvm_stimulus again;
    int n = snprintf(line, sizeof line, "%c", s->op);
    if (strchr("FBAHNCEU", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64, s->now);
    if (s->op == 'F')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu32, s->sm);
    if (!strchr("BCE", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " %u", s->asid);
    if (strchr("RFAHNU", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " 0x%" PRIx64, s->va);
    if (s->op == 'R')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu64 "%s", s->bytes,
                      s->read_only ? " ro" : "");
    if (s->op == 'Q')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu32 " %" PRIu32, s->reserve, s->limit);
    if (strchr("FAH", s->op))
        n += snprintf(line + n, sizeof line - (size_t)n, " %c", "prwa"[s->access]);
    if (s->op == 'N')
        n += snprintf(line + n, sizeof line - (size_t)n, " %" PRIu32 " %" PRIu32, s->bigs, s->count);
    require(replay_uvm_parse(line, (size_t)n, &again, NULL) == 0);
    require(again.op == s->op && again.now == s->now && again.sm == s->sm && again.asid == s->asid &&
            again.va == s->va && again.bytes == s->bytes && again.read_only == s->read_only &&
            again.reserve == s->reserve && again.limit == s->limit && again.access == s->access &&
            again.bigs == s->bigs && again.count == s->count);
}

static void in_one_place(void *context, const struct mp_uvm_state *s)
{
    (void)context;
    MP_UVM_EACH (i)
        require(!(s->gpu.w[i] & s->remote.w[i]) && !(s->pinned.w[i] & ~s->thrashing.w[i]));
}

static void check(const struct mp_uvm *u, uint64_t pool)
{
    uint64_t used = 0;
    for (uint8_t s = 0; s < MP_UVM_SPACES; s++) {
        used += mp_uvm_units(u, s);
        mp_uvm_dump(u, s, in_one_place, NULL);
    }
    require(used <= pool);
}

static struct mp_uvm_params params_of(size_t size)
{
    struct mp_uvm_params p = MP_UVM_USUAL;
    size_t n[3] = {0};
    while (mp_uvm_prefetches[n[0]])
        n[0]++;
    while (mp_uvm_evicts[n[1]])
        n[1]++;
    while (mp_uvm_migrates[n[2]])
        n[2]++;
    p.prefetch = mp_uvm_prefetches[size % n[0]];
    p.evict = mp_uvm_evicts[size % n[1]];
    p.migrate = mp_uvm_migrates[size / 3 % n[2]];
    p.c2c = size & 1;
    p.write_back_dirty = size >> 1 & 1;
    p.page_bytes = size % 4 ? 4096 : 65536;
    p.chunks = 1 + size % 3;
    p.batch = 1 + size % 5;
    p.entries = 8;
    p.counter = 2;
    p.lapse = 10;
    p.blocks = 16;
    p.ranges = 8;
    p.sms = 65536;
    p.thrash = 8;
    return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *nowhere;
    const struct mp_uvm_params p = params_of(size);
    const uint64_t pool = p.chunks * (MP_UVM_BLOCK_BYTES / (p.evict->unit ? p.evict->unit : p.page_bytes));
    void *memory = calloc(1, mp_uvm_bytes(&p));
    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    struct replay_uvm r = {.model = mp_uvm_init(memory, &p)};
    const struct replay_to to = {.f = nowhere};
    const char *text = (const char *)data;
    for (size_t at = 0; at < size;) {
        const char *newline = memchr(text + at, '\n', size - at);
        size_t length = newline ? (size_t)(newline - text) - at : size - at;
        struct replay_uvm_stimulus s;
        struct mp_error err = {""};
        if (replay_uvm_parse(text + at, length, &s, &err)) {
            require(*err.text && !strpbrk(err.text, "\n\r") && !s.op);
        } else if (s.op) {
            same_again(&s);
            if (replay_uvm_respond(&r, &s, &to, &err))
                require(*err.text && !strpbrk(err.text, "\n\r"));
            check(r.model, pool);
        }
        at += length + 1;
    }
    free(memory);
    return 0;
}
