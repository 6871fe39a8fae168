/* SPDX-License-Identifier: Apache-2.0 */
/* The DRAM channels' part of an X-ray: their queues. An ideal memory has none. */
#include "dram/dram.h"

static void show_channel(const struct mp_dram *d, uint32_t channel, const struct mp_xray *x)
{
    const struct mp_dram_channel *c = &d->channel[channel];
    for (uint32_t b = 0; b < d->p.banks; b++) {
        for (const struct mp_dram_entry *e = c->bank[b].oldest; e; e = e->next) {
            struct mp_xray_wait wait = mp_xray_wait_of("queue of channel", e->req);
            wait.number = channel;
            x->wait(x->self, &wait);
        }
    }
    mp_xray_queue(x, "held at channel", channel, &c->held);
}

void mp_dram_xray(const void *model, const struct mp_xray *x)
{
    const struct mp_dram *d = model;
    uint64_t queued = 0, held = 0;
    for (uint32_t i = 0; i < d->p.channels; i++) {
        queued += d->channel[i].length;
        held += d->channel[i].held.length;
    }
    mp_xray_room(x, "queues", queued, (uint64_t)d->p.channels * d->p.queue);
    mp_xray_room(x, "held at ports", held, 0);
    for (uint32_t i = 0; i < d->p.channels; i++)
        show_channel(d, i, x);
}
