/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory under random stimuli, against an oracle that keeps pages one by one; and what must always
 * hold. A run is repeated with the seed that it prints: test_replay_uvm_random SEED. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "uvm_oracle.h"

static uint64_t seed, state;

static uint32_t roll(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n > 1 ? (uint32_t)((state >> 11) % n) : 0;
}

static const uint32_t *any_of(const uint32_t *values)
{
    uint32_t n = 0;
    while (values[n] != UINT32_MAX)
        n++;
    return &values[roll(n)];
}

#define ANY(...) (*any_of((const uint32_t[]){__VA_ARGS__, UINT32_MAX}))

static uint32_t length(const struct mp_design *const *list)
{
    uint32_t n = 0;
    while (list[n])
        n++;
    return n;
}

static struct mp_uvm_params draw_params(void)
{
    struct mp_uvm_params p = MP_UVM_USUAL;
    p.prefetch = mp_uvm_prefetches[roll(length(mp_uvm_prefetch_designs))];
    p.prefetch_full = roll(3) ? NULL : mp_uvm_prefetches[roll(length(mp_uvm_prefetch_designs))];
    p.evict = mp_uvm_evicts[roll(length(mp_uvm_evict_designs))];
    p.migrate = mp_uvm_migrates[roll(length(mp_uvm_migrate_designs))];
    p.c2c = !roll(4);
    p.thrashing = roll(5);
    p.write_back_dirty = !roll(3);
    p.replay = (enum mp_uvm_replay)roll(4);
    p.page_bytes = roll(4) ? 4096 : 65536;
    p.chunks = 2 + roll(8);
    p.batch = ANY(1, 3, 16, 256);
    p.entries = ANY(1, 20, 4096);
    p.threshold = ANY(1, 30, 51, 51, 75, 100);
    p.min_faults = ANY(1, 1, 1, 5);
    p.counter = ANY(1, 3, 8, 100);
    p.granule_bytes = ANY(65536, 2097152);
    p.penalty = 1 + roll(4);
    p.events = ANY(1, 2, 3);
    p.throttles = ANY(1, 2, 10);
    p.nap = 1 + roll(3);
    p.epoch = ANY(0, 2, 20, 2000);
    p.pin = ANY(0, 3, 30);
    p.resets = roll(5);
    p.lapse = ANY(5, 50, 1000);
    p.seed = 1 + roll(1000000);
    p.blocks = 64;
    p.ranges = 32;
    p.sms = 16;
    return p;
}

static bool hot; /* few pages, for which the two processors compete */

static uint64_t draw_va(uint32_t page_bytes)
{
    static uint64_t last; /* programs have locality */
    if (hot)
        return ORACLE_BASE + roll(2) * UINT64_C(2097152) + roll(3) * UINT64_C(40960);
    if (roll(2))
        last = ORACLE_BASE + roll(ORACLE_AREAS) * UINT64_C(2097152) + roll(2097152);
    else
        last = (last / 2097152) * 2097152 + (last % 2097152 + roll(4) * page_bytes) % 2097152;
    return last;
}

static struct replay_uvm_stimulus draw_stimulus(const struct mp_uvm_params *p, uint64_t *now, uint32_t spaces)
{
    static const char usual[] = "FFFFFFFFFFFFFFFFBBBAAAAAAAAAAAANHHHHHHHHHCDEQRU",
                      competing[] = "FFFBBBAAHHHDE";
    const char *ops = hot && roll(40) ? competing : usual;
    struct replay_uvm_stimulus s = {.op = ops[roll((uint32_t)strlen(ops))]};
    s.asid = (uint8_t)roll(spaces);
    s.sm = roll(4);
    s.access = (enum mp_uvm_access)(strchr("AH", s.op) ? 1 + roll(3) : roll(4));
    s.va = draw_va(p->page_bytes);
    s.reserve = 1 + roll(2);
    s.limit = s.reserve + roll(p->chunks);
    s.bigs = roll(3) ? UINT32_C(1) << roll(32) : roll(UINT32_MAX);
    s.count = roll(20) ? roll(10) : roll(65536);
    if (strchr("FBAHNCEU", s.op))
        s.now = *now += roll(8) ? roll(3) : roll(40);
    if (s.op == 'R') {
        s.read_only = !roll(5);
        s.va -= s.va % ANY(p->page_bytes, 65536, 2097152);
        s.bytes = (1 + roll(roll(2) ? 1200 : 40)) * UINT64_C(4096);
        s.bytes += roll(8) ? (p->page_bytes - s.bytes % p->page_bytes) % p->page_bytes : 0;
    }
    return s;
}

/* ---- what must hold ---- */

static uint64_t units_left(const struct mp_uvm *u, const struct mp_uvm_params *p)
{
    const uint32_t bytes = p->evict->unit ? p->evict->unit : p->page_bytes;
    uint64_t used = 0;
    for (uint8_t s = 0; s < MP_UVM_SPACES; s++)
        used += mp_uvm_units(u, s);
    assert_true(used <= p->chunks * (uint64_t)(2097152 / bytes));
    return used;
}

static void places_are_disjoint(void *context, const struct mp_uvm_state *s)
{
    (void)context;
    for (uint32_t i = 0; i < MP_UVM_WORDS; i++)
        assert_true((s->gpu.w[i] & s->remote.w[i]) == 0 && (s->pinned.w[i] & ~s->thrashing.w[i]) == 0);
}

/* ---- against the oracle ---- */

static void same_answer(struct replay_uvm *r, struct oracle *o, const struct replay_uvm_stimulus *s,
                        unsigned line)
{
    char *mine = NULL, *theirs = NULL;
    size_t bytes[2];
    FILE *f[2] = {open_memstream(&mine, &bytes[0]), open_memstream(&theirs, &bytes[1])};
    struct mp_error err;
    const struct replay_to to = {.f = f[0]};
    const int refused = replay_uvm_respond(r, s, &to, &err);
    const int accepted = oracle_respond(o, s, f[1]);
    fclose(f[0]);
    fclose(f[1]);
    if (!!refused == accepted || (accepted && strcmp(mine, theirs) != 0))
        fail_msg("seed %ju, stimulus %u %c asid %u va 0x%jx access %d now %ju: %s%s, the oracle %s",
                 (uintmax_t)seed, line, s->op, s->asid, (uintmax_t)s->va, (int)s->access, (uintmax_t)s->now,
                 mine, refused ? err.text : "", theirs);
    free(mine);
    free(theirs);
}

static void run(unsigned stimuli)
{
    const struct mp_uvm_params p = draw_params();
    const uint32_t spaces = 1 + roll(3);
    struct mp_error err;
    uint64_t now = 1;
    hot = !roll(3);
    if (mp_uvm_check(&p, &err))
        fail_msg("%s", err.text);
    void *memory = calloc(1, mp_uvm_bytes(&p));
    struct replay_uvm r = {.model = mp_uvm_init(memory, &p)};
    struct oracle *o = oracle_new(&p);
    struct replay_uvm_stimulus first = {.op = 'R', .va = ORACLE_BASE, .bytes = 4 * UINT64_C(2097152)};
    same_answer(&r, o, &first, 0);
    for (unsigned i = 1; i <= stimuli; i++) {
        const struct replay_uvm_stimulus s = draw_stimulus(&p, &now, spaces);
        same_answer(&r, o, &s, i);
        units_left(r.model, &p);
        if (i % 64 == 0)
            for (uint8_t space = 0; space < spaces; space++) {
                const struct replay_uvm_stimulus d = {.op = 'D', .asid = space};
                same_answer(&r, o, &d, i);
                mp_uvm_dump(r.model, space, places_are_disjoint, NULL);
            }
    }
    oracle_free(o);
    free(memory);
}

#ifdef __SANITIZE_ADDRESS__
enum { RUNS = 40 }; /* each clears tens of megabytes, which a sanitizer makes 30 times as long */
#else
enum { RUNS = 400 };
#endif

static void answers_are_those_of_the_oracle(void **unused)
{
    (void)unused;
    const uint64_t first = seed;
    for (unsigned i = 0; i < RUNS; i++) {
        seed = first + i;
        state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
        run(1000);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_those_of_the_oracle)};
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : (uint64_t)time(NULL) * 1000;
    printf("seed %ju\n", (uintmax_t)seed);
    return cmocka_run_group_tests_name("unified memory at random", tests, NULL, NULL);
}
