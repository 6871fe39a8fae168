/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm_trace.h"

#include <inttypes.h>

#include "print.h"

static bool on;
static unsigned pool, last; /* the instances of this line, and of the last one */

void uvm_trace_begin(void)
{
    on = true;
}

void uvm_trace_pool(unsigned instance)
{
    pool = instance;
}

/* Whether there is a line; another pool's begins after `@ INSTANCE`. */
static bool traces(void)
{
    if (on && pool != last)
        print("@ %u\n", pool);
    last = pool;
    return on;
}

/* Pages as 0-15,17, or -. */
static void print_list(const struct mp_uvm_mask *m)
{
    uint32_t first = mp_uvm_next(m, 0);
    if (first == MP_UVM_PAGES)
        print("-");
    for (const char *before = ""; first < MP_UVM_PAGES; before = ",") {
        uint32_t last = first;
        while (last + 1 < MP_UVM_PAGES && mp_uvm_has(m, last + 1))
            last++;
        print("%s%" PRIu32, before, first);
        if (last > first)
            print("-%" PRIu32, last);
        first = mp_uvm_next(m, last + 1);
    }
}

static void print_pages(const char *name, const struct mp_uvm_mask *m)
{
    print(" %s=", name);
    print_list(m);
}

void uvm_trace_options(const struct mp_uvm_params *p)
{
    if (traces())
        print("# --page %" PRIu32 " --chunks %" PRIu32 " --batch %" PRIu32 " --entries %" PRIu32
              " --prefetch %s --evict %s --replay-policy %s --migrate %s --counter %" PRIu32
              " --granule %" PRIu32 " --thrashing %s",
              p->page_bytes, p->chunks, p->batch, p->entries, p->prefetch->design.name, p->evict->design.name,
              uvm_replay_name(p->replay), p->migrate->design.name, p->counter, p->granule_bytes,
              p->thrashing ? "on" : "off");
    if (traces() && p->thrashing)
        print(" --events %" PRIu32 " --throttles %" PRIu32 " --lapse %" PRIu64 " --nap %" PRIu32
              " --epoch %" PRIu32 " --pin %" PRIu32 " --resets %" PRIu32 " --link %s",
              p->events, p->throttles, p->lapse, p->nap, p->epoch, p->pin, p->resets,
              p->c2c ? "c2c" : "pcie");
    if (traces())
        print("\n");
}

void uvm_trace_open(const struct uvm_range *r)
{
    const uint64_t blocks = (r->va + r->bytes - 1) / UVM_BLOCK_BYTES - r->va / UVM_BLOCK_BYTES + 1;
    if (traces())
        print("R %u 0x%" PRIx64 " 0x%" PRIx64 "%s\n= blocks=%" PRIu64 "\n", r->asid, r->va, r->bytes,
              r->read_only ? " ro" : "", blocks);
}

void uvm_trace_close(uint64_t at, const struct uvm_range *r, const struct mp_uvm_freed *freed)
{
    if (traces())
        print("U %" PRIu64 " %u 0x%" PRIx64 "\n= freed pages=%" PRIu32 " units=%" PRIu32 "\n", at, r->asid,
              r->va, freed->pages, freed->units);
}

void uvm_trace_fault(uint64_t at, const struct mp_mgmt_fault *f, unsigned access)
{
    if (traces())
        print("F %" PRIu64 " %u %u 0x%" PRIx64 " %c\n", at, f->sm, f->asid, f->va, "prwa"[access & 3]);
}

void uvm_trace_entry(uint32_t entries)
{
    if (traces())
        print("= entry %" PRIu32 "\n", entries);
}

void uvm_trace_host(uint64_t at, unsigned asid, uint64_t va, const struct mp_uvm_moved *m)
{
    static const char *const words[] = {[MP_UVM_ZEROED] = "zero",
                                        [MP_UVM_HOST] = "host",
                                        [MP_UVM_MAPPED] = "remote",
                                        [MP_UVM_HELD] = "hold",
                                        [MP_UVM_MOVED] = "move"};
    if (!traces())
        return;
    print("H %" PRIu64 " %u 0x%" PRIx64 " w\n= %s", at, asid, va, words[m->what]);
    if (m->what == MP_UVM_MOVED) {
        print(" ");
        print_list(&m->pages);
    }
    if (m->what == MP_UVM_HELD)
        print(" %" PRIu64, m->end);
    print(m->pinned ? " pinned\n" : "\n");
}

void uvm_trace_batch(uint64_t at)
{
    if (traces())
        print("B %" PRIu64 "\n= ", at);
}

void uvm_trace_victim(const struct mp_uvm_victim *v)
{
    if (!traces())
        return;
    print("evict %u:%" PRIu64, v->asid, v->block);
    print_pages("back", &v->back);
    print_pages("drop", &v->drop);
    print(" | ");
}

void uvm_trace_ahead(uint64_t at)
{
    if (traces())
        print("E %" PRIu64 "\n= ", at);
}

void uvm_trace_ahead_end(uint32_t units, uint32_t spare)
{
    if (traces())
        print("evicted=%" PRIu32 " spare=%" PRIu32 "\n", units, spare);
}

static void print_service(const struct mp_uvm_service *s)
{
    print("block %u:%" PRIu64, s->asid, s->block);
    print_pages("fault", &s->fault);
    print_pages("prefetch", &s->prefetch);
    print_pages("zero", &s->zero);
    print_pages("copy", &s->copy);
}

void uvm_trace_service(const struct mp_uvm_service *s)
{
    if (!traces())
        return;
    print_service(s);
    print_pages("remote", &s->remote);
    print_pages("held", &s->held);
    print_pages("done", &s->done);
    print_pages("cancel", &s->cancel);
    print_pages("ignore", &s->ignore);
    print(" | ");
}

void uvm_trace_batch_end(const struct mp_uvm_batch *b)
{
    if (traces())
        print("batch entries=%" PRIu32 " merged=%" PRIu32 " duplicates=%" PRIu32 " dropped=%" PRIu32
              " left=%" PRIu32 " replays=%" PRIu32 "\n",
              b->entries, b->merged, b->duplicates, b->dropped, b->left, b->replays);
}

void uvm_trace_count(uint64_t at, unsigned asid, uint64_t va, uint32_t bigs, uint32_t count,
                     const struct mp_uvm_hit *hit)
{
    if (!traces())
        return;
    print("N %" PRIu64 " %u 0x%" PRIx64 " 0x%" PRIx32 " %" PRIu32 "\n", at, asid, va, bigs, count);
    print(hit->what == MP_UVM_REMOTE ? "= remote %" PRIu32 "%s\n" : "= fault\n", hit->count,
          hit->notice ? " notice" : "");
}

void uvm_trace_notices(uint64_t at)
{
    if (traces())
        print("C %" PRIu64 "\n= ", at);
}

void uvm_trace_noticed(const struct mp_uvm_service *s)
{
    if (!traces())
        return;
    print_service(s);
    print(" | ");
}

void uvm_trace_notices_end(const struct mp_uvm_noticed *n)
{
    if (traces())
        print("notices=%" PRIu32 " left=%" PRIu32 "\n", n->notices, n->left);
}

/* --- counters ------------------------------------------------------------------------------------- */

static const struct {
    size_t offset;
    const char *text;
} lines[] = {
    {offsetof(struct uvm_counts, entries), "faults taken from the ring"},
    {offsetof(struct uvm_counts, merged), "of these, joined to one before"},
    {offsetof(struct uvm_counts, duplicates), "of these, of a page that another fault of the batch has"},
    {offsetof(struct uvm_counts, dropped), "faults discarded before a replay"},
    {offsetof(struct uvm_counts, batches), "batches"},
    {offsetof(struct uvm_counts, idle), "of these, without an effect"},
    {offsetof(struct uvm_counts, blocks), "blocks served"},
    {offsetof(struct uvm_counts, replays), "replays"},
    {offsetof(struct uvm_counts, faulted), "pages that came by a fault"},
    {offsetof(struct uvm_counts, prefetched), "pages that came with them"},
    {offsetof(struct uvm_counts, zeroed), "of both, zeroed"},
    {offsetof(struct uvm_counts, copied), "of both, copied from the host"},
    {offsetof(struct uvm_counts, refetched), "of these, copied to the host before"},
    {offsetof(struct uvm_counts, remote), "pages that the GPU accesses on the host"},
    {offsetof(struct uvm_counts, notices), "notices of access counters"},
    {offsetof(struct uvm_counts, noticed), "pages that came by them"},
    {offsetof(struct uvm_counts, evictions), "units that left"},
    {offsetof(struct uvm_counts, ahead), "of these, ahead of need"},
    {offsetof(struct uvm_counts, written_back), "pages that they copied to the host"},
    {offsetof(struct uvm_counts, host_moves), "pages that the host took"},
    {offsetof(struct uvm_counts, held), "pages that stayed faulted, because they thrash"},
    {offsetof(struct uvm_counts, naps), "accesses of the host that waited for such a page"},
    {offsetof(struct uvm_counts, unpinned), "pages of the host whose pin has ended"},
    {offsetof(struct uvm_counts, absent), "pages that did not arrive, because a copy failed"},
    {offsetof(struct uvm_counts, cancelled), "pages whose accesses were given up"},
    {offsetof(struct uvm_counts, instructions), "instructions of services"},
    {offsetof(struct uvm_counts, storms), "full rings"},
};

void uvm_print_state(const struct mp_uvm_params *p, unsigned instance, const struct ring *ring,
                     const struct uvm_counts *counts)
{
    const struct uvm_range *r;
    print("instance %u: %" PRIu32 " chunks of 2 MB, pages of %" PRIu32 " KB, prefetch %s, evict %s, migrate "
          "%s, replay %s, thrashing %s, %" PRIu32 " units free\n",
          instance, p->chunks, p->page_bytes >> 10, p->prefetch->design.name, p->evict->design.name,
          p->migrate->design.name, uvm_replay_name(p->replay), p->thrashing ? "on" : "off",
          uvm_spare_frames(instance));
    for (unsigned i = 0; (r = uvm_range(i)); i++)
        if (r->instance == instance)
            print("space %u: 0x%" PRIx64 " bytes at 0x%" PRIx64 "%s, on the host at 0x%" PRIx64 "\n", r->asid,
                  r->bytes, r->va, r->read_only ? ", read only" : "", uvm_host_of(r, r->va));
    for (unsigned i = 0; i < sizeof lines / sizeof *lines; i++)
        print("%10" PRIu64 " %s\n", *(const uint64_t *)((const char *)counts + lines[i].offset),
              lines[i].text);
    print("%10" PRIu64 " entries that were awaited\n%10" PRIu64 " entries that never came\n", ring->late,
          ring->lost);
}
