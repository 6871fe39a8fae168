/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/space.h"

#include <stdlib.h>

int mp_space_init(struct mp_space *s, const struct mp_space_params *p, struct mp_error *err)
{
    *s = (struct mp_space){.asid = p->asid,
                           .table = {.format = p->format,
                                     .memory = p->memory,
                                     .frames = p->frames,
                                     .tenant = p->tenant,
                                     .asid = p->asid,
                                     .design = p->table}};
    return mp_page_table_start(&s->table, &p->own, err);
}

void mp_space_free(struct mp_space *s)
{
    mp_listeners_free(&s->listeners);
    free(s->buffer);
    *s = (struct mp_space){0};
}

static uint64_t page_of(uint64_t va, uint64_t bytes)
{
    return va & ~(bytes - 1);
}

static bool changed(struct mp_space *s, uint64_t page, bool was_mapped)
{
    return s->hook.changed && s->hook.changed(s->hook.self, s, page, was_mapped);
}

static void shoot_down(struct mp_space *s, bool tables, uint64_t va, uint64_t bytes)
{
    const struct mp_scope scope = {.tables = tables, .asid = s->asid, .va = va, .bytes = bytes};
    mp_shoot_down(&s->listeners, &scope);
}

/* --- buffers ---------------------------------------------------------------------------------------- */

static int note_buffer(struct mp_space *s, const struct mp_space_buffer *b)
{
    if (s->buffers == s->room) {
        uint32_t room = s->room ? 2 * s->room : 16;
        struct mp_space_buffer *buffer = realloc(s->buffer, room * sizeof *buffer);
        if (!buffer)
            return -1;
        s->buffer = buffer;
        s->room = room;
    }
    s->buffer[s->buffers++] = *b;
    return 0;
}

/* Takes the range from the buffers, whose ends stay. Returns the size of their pages, the smallest one; 0 if
 * no buffer has a part of it. If memory runs out, an end is given up: its pages stay mapped. */
static uint64_t cut_buffers(struct mp_space *s, uint64_t va, uint64_t end)
{
    uint64_t page = 0;
    for (uint32_t i = s->buffers; i-- > 0;) {
        const struct mp_space_buffer b = s->buffer[i];
        const uint64_t b_end = b.va + b.bytes;
        if (b.va >= end || b_end <= va)
            continue;
        page = page && page < b.page_bytes ? page : b.page_bytes;
        s->buffer[i] = s->buffer[--s->buffers];
        if (b.va < va)
            (void)note_buffer(s, &(struct mp_space_buffer){b.va, va - b.va, b.page_bytes});
        if (b_end > end)
            (void)note_buffer(s, &(struct mp_space_buffer){end, b_end - end, b.page_bytes});
    }
    return page;
}

static bool is_used(const struct mp_space *s, uint64_t page, uint64_t bytes)
{
    for (uint32_t i = 0; i < s->buffers; i++)
        if (s->buffer[i].va < page + bytes && s->buffer[i].va + s->buffer[i].bytes > page)
            return true;
    return false;
}

/* --- mapping ---------------------------------------------------------------------------------------- */

/* Pages of a buffer that is being mapped. */
struct run {
    uint64_t page, end, bytes; /* bytes: of each page */
    uint32_t page_shift;
    bool tables; /* upper entries have changed */
};

/* The first page of [page, end) that is mapped, or that is not, as `mapped` says; `end` if there is none.
 * Pages that are smaller than the run's are no mapping; mapping the page is then an error. */
static uint64_t find_page(const struct mp_space *s, const struct run *r, uint64_t page, uint64_t end,
                          bool mapped)
{
    uint64_t pa;
    while (page < end && (mp_page_table_find(&s->table, page, &pa) >= r->page_shift) != mapped)
        page += r->bytes;
    return page;
}

static void give_back(struct mp_space *s, uint64_t pa, uint64_t pages, uint64_t bytes)
{
    for (; pages; pages--, pa += bytes)
        mp_frames_give_page(s->table.frames, s->table.tenant, pa, bytes);
}

/* Maps the first pages of a run that is not mapped, as many as the allocator has together. Returns their
 * number, or 0 with a message. */
static uint64_t map_first(struct mp_space *s, struct run *r, uint64_t end, struct mp_error *err)
{
    const struct mp_frames_wish wish = {s->table.tenant, r->page, (end - r->page) / r->bytes, r->bytes};
    uint64_t pa, taken;
    /* First the tables, then the page, as a page fault of Linux does: else each frame of 2 MB would have its
     * table in memory between its first page and the others. */
    int reached = mp_page_table_reach(&s->table, r->page, r->page_shift, err);
    r->tables |= reached != 0; /* also if memory was used up in between */
    if (reached < 0)
        return 0;
    taken = mp_frames_take_pages(s->table.frames, &wish, &pa, err);
    for (uint64_t i = 0; i < taken; i++) {
        uint64_t at = r->page + i * r->bytes;
        int mapped = mp_page_table_map(&s->table, at, pa + i * r->bytes, r->page_shift, err);
        r->tables |= mapped != 0;
        if (mapped < 0) {
            give_back(s, pa + i * r->bytes, taken - i, r->bytes);
            return 0;
        }
        r->tables |= changed(s, at, false);
    }
    return taken;
}

static int map_run(struct mp_space *s, struct run *r, uint64_t end, struct mp_error *err)
{
    while (r->page < end) {
        uint64_t pages = map_first(s, r, end, err);
        if (!pages)
            return -1;
        r->page += pages * r->bytes;
    }
    return 0;
}

/* Maps what is not mapped yet. */
static int map_pages(struct mp_space *s, struct run *r, struct mp_error *err)
{
    int status = 0;
    while (!status && (r->page = find_page(s, r, r->page, r->end, false)) < r->end)
        status = map_run(s, r, find_page(s, r, r->page, r->end, true), err);
    return status;
}

int mp_space_map(struct mp_space *s, uint64_t va, uint64_t bytes, uint32_t page_shift, struct mp_error *err)
{
    const struct mp_page_format *f = s->table.format;
    uint64_t end = va + bytes;
    struct run r = {.page_shift = page_shift ? page_shift : f->page_shift};
    if (!mp_page_format_has(f, r.page_shift))
        return mp_fail(err, "format %s has no pages of 1 << %u B", f->name, r.page_shift);
    r.bytes = 1ull << r.page_shift;
    if (end > 1ull << f->va_bits || end < va)
        return mp_fail(err, "buffer at 0x%llx of %llu B ends beyond the %u-bit virtual address space",
                       (unsigned long long)va, (unsigned long long)bytes, f->va_bits);
    if (note_buffer(s, &(struct mp_space_buffer){va, bytes, r.bytes}))
        return mp_fail(err, "out of memory");
    mp_frames_before_buffer(s->table.frames);
    uint64_t first = r.page = page_of(va, r.bytes);
    r.end = page_of(end + r.bytes - 1, r.bytes);
    int status = map_pages(s, &r, err);
    if (r.tables)
        shoot_down(s, true, first, r.end - first);
    return status;
}

/* --- changes ---------------------------------------------------------------------------------------- */

/* Frames are given back before the shootdown: nothing can take them before this function returns. The
 * shootdown names the whole range, as drivers do it, with pages that stay mapped. If upper levels depend on
 * pages, each page is a change by itself, so that nothing leaves for a page that stays. */
void mp_space_unmap(struct mp_space *s, uint64_t va, uint64_t bytes)
{
    uint64_t end = va + bytes, pa, next = end, size = cut_buffers(s, va, end);
    if (!size)
        return;
    uint64_t first = page_of(va, size);
    for (uint64_t page = first; page < end; page = next) {
        uint32_t shift = mp_page_table_find(&s->table, page, &pa);
        uint64_t has = shift ? 1ull << shift : size; /* another buffer's may be larger */
        page = page_of(page, has);
        first = page < first ? page : first;
        next = page + has;
        bool whole = page >= va && next <= end; /* no other buffer has a part of it */
        if ((!whole && is_used(s, page, has)) || !mp_page_table_unmap(&s->table, page, &pa))
            continue;
        bool tables = changed(s, page, true);
        mp_frames_give_page(s->table.frames, s->table.tenant, pa, has);
        if (s->hook.changed)
            shoot_down(s, tables, page, has);
    }
    if (!s->hook.changed)
        shoot_down(s, false, first, next - first);
}

bool mp_space_change(struct mp_space *s, uint64_t va, uint64_t entry)
{
    uint64_t pa, page;
    uint32_t shift = mp_page_table_find(&s->table, va, &pa);
    if (!shift)
        return false;
    mp_page_table_change(&s->table, va, entry);
    page = page_of(va, 1ull << shift);
    shoot_down(s, changed(s, page, true), page, 1ull << shift);
    return true;
}

/* --- frames of others ------------------------------------------------------------------------------- */

int mp_space_reach(struct mp_space *s, uint64_t va, uint64_t bytes, uint32_t page_shift, struct mp_error *err)
{
    const uint64_t table = 1ull << 21; /* no table of the last level has less */
    const uint64_t end = va + bytes;
    int tables = 0;
    if (end > 1ull << s->table.format->va_bits || end < va)
        return mp_fail(err, "buffer at 0x%llx of %llu B ends beyond the %u-bit virtual address space",
                       (unsigned long long)va, (unsigned long long)bytes, s->table.format->va_bits);
    for (uint64_t at = va; at < end && tables >= 0; at = page_of(at, table) + table) {
        const int reached = mp_page_table_reach(&s->table, at, page_shift, err);
        tables = reached < 0 ? -1 : tables | reached;
    }
    if (tables)
        shoot_down(s, true, va, bytes);
    return tables < 0 ? -1 : 0;
}

static uint64_t with_right(const struct mp_page_table_end *end, bool read_only)
{
    const uint64_t right = read_only ? end->form->read_only : end->form->made & end->form->right;
    return (end->entry & ~end->form->right) | right;
}

void mp_space_place(struct mp_space *s, uint64_t va, uint64_t pa, uint32_t page_shift, bool read_only)
{
    struct mp_error err;
    (void)mp_page_table_map(&s->table, va, pa, page_shift, &err); /* it cannot fail: the tables exist */
    if (read_only) {
        const struct mp_page_table_end end = mp_page_table_end(&s->table, va);
        mp_page_table_change(&s->table, va, with_right(&end, true));
    }
    if (changed(s, va, false))
        shoot_down(s, true, va, 1ull << page_shift);
}

void mp_space_placed(struct mp_space *s, uint64_t va)
{
    const struct mp_scope tables = {.tables = true, .translations_stay = true, .asid = s->asid, .va = va};
    if (s->hook.placed && s->hook.placed(s->hook.self, s, va))
        mp_shoot_down(&s->listeners, &tables);
}

void mp_space_protect(struct mp_space *s, uint64_t va, bool read_only)
{
    const struct mp_page_table_end end = mp_page_table_end(&s->table, va);
    if (end.mapped && mp_pte_read_only(end.form, end.entry) != read_only)
        mp_space_change(s, va, with_right(&end, read_only));
}

void mp_space_remove(struct mp_space *s, uint64_t va, uint64_t bytes)
{
    bool tables = false;
    uint64_t pa;
    for (uint64_t page = va; page < va + bytes; page += 1ull << s->table.format->page_shift)
        if (mp_page_table_unmap(&s->table, page, &pa))
            tables |= changed(s, page, true);
    shoot_down(s, tables, va, bytes);
}
