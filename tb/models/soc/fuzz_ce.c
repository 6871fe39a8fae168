/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary writes to the copy engines' registers and arbitrary descriptors: an engine fetches only from its
 * ring and in its order, a copy that is made has its ends in the memories of its direction, and the others
 * stop the engine with what is wrong. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "soc/ce.h"
#include "soc/service_check.h"

static void require(bool truth)
{
    if (!truth)
        abort();
}

static struct mp_ce c;
static struct mp_service_check service;
static struct mp_ce_descriptor ring[MP_CE_ENGINES][MP_CE_MOST];

static void set_line(void *self, unsigned number, bool level)
{
    (void)self, (void)number, (void)level;
}

static void found(void *self, const char *why)
{
    (void)self;
    require(*why && !strpbrk(why, "\n\r"));
}

static void started(void *self, unsigned e)
{
    uint32_t index;
    (void)self;
    for (unsigned n = 0; mp_service_check_unseen(&service, &c, e, &index); n++) {
        require(n < MP_CE_MOST && index < c.engine[e].entries);
        mp_service_check_copy(&service, &c, e, &ring[e][index]);
    }
}

static void step(unsigned e, bool fails)
{
    uint64_t at;
    const uint32_t get = (uint32_t)c.value.GET[e];
    if (!mp_ce_next(&c, e, &at))
        return;
    const uint64_t index = (at - c.engine[e].base) / sizeof **ring;
    require((at - c.engine[e].base) % sizeof **ring == 0 && index == get % c.engine[e].entries);
    const struct mp_ce_descriptor *d = &ring[e][index];
    enum mp_ce_error error = mp_ce_check(e, d);
    if (!error) {
        require(d->bytes && d->bytes <= MP_CE_MOST_BYTES && mp_ce_ns(&c.link, d) > 0);
        require(d->target / MP_CE_HOST == (e == MP_CE_OUT));
        require(d->flags & MP_CE_ZERO ? e == MP_CE_IN : d->source / MP_CE_HOST == (e == MP_CE_IN));
        mp_service_check_arrives(&service, &c, d->target, d->bytes);
        error = fails ? MP_CE_ERROR_BUS : MP_CE_ERROR_NONE;
    }
    mp_ce_ended(&c, e, d, error);
    require(c.value.ERROR[e] == error && (uint32_t)c.value.GET[e] == get + !error);
}

struct action {
    uint8_t what, number;
    uint16_t small;
    struct mp_ce_descriptor d;
} __attribute__((packed));

static void write_register(uint64_t offset, unsigned width, uint64_t value)
{
    mp_regs_access(&c.regs, offset, width, true, &value);
}

static void act(const struct action *a)
{
    const unsigned e = a->number % MP_CE_ENGINES;
    switch (a->what % 8) {
    case 0:
        write_register(a->small, a->number & 2 ? 8 : 4, a->d.source);
        break;
    case 1:
        write_register(MP_CE_RING_ENTRIES + e * MP_CE_RING_ENTRIES_STRIDE, 4, a->small);
        break;
    case 2:
        write_register(MP_CE_PUT + e * MP_CE_PUT_STRIDE, 4, c.engine[e].put + a->small % 80);
        break;
    case 3:
        write_register(MP_CE_RESUME + e * MP_CE_RESUME_STRIDE, 4, a->small & 1);
        break;
    case 4:
        ring[e][a->small % MP_CE_MOST] = a->d;
        break;
    case 5: /* one that is more likely to be right */
        ring[e][a->small % MP_CE_MOST] =
            (struct mp_ce_descriptor){.source = a->d.source % MP_CE_HOST + (e == MP_CE_IN ? MP_CE_HOST : 0),
                                      .target = a->d.target % MP_CE_HOST + (e == MP_CE_OUT ? MP_CE_HOST : 0),
                                      .bytes = a->d.bytes % (MP_CE_MOST_BYTES + 2),
                                      .flags = a->d.flags & 3,
                                      .fence = a->d.fence};
        break;
    default:
        step(e, a->small & 1);
    }
    for (unsigned i = 0; i < MP_CE_ENGINES; i++)
        require(c.engine[i].put - (uint32_t)c.value.GET[i] <= c.engine[i].entries &&
                c.engine[i].entries <= MP_CE_MOST && !c.engine[i].busy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct action a;
    memset(&service, 0, sizeof service);
    memset(ring, 0, sizeof ring);
    service.found = found;
    c = (struct mp_ce){.irq = {NULL, set_line, 0, false}, .link = {12, 7292, 700, 400}, .started = started};
    mp_ce_init(&c);
    for (; size >= sizeof a; data += sizeof a, size -= sizeof a) {
        memcpy(&a, data, sizeof a);
        act(&a);
    }
    return 0;
}
