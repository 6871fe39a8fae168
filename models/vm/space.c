/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/space.h"

#include <stdlib.h>

int mp_space_init(struct mp_space *s, const struct mp_space_params *p, struct mp_error *err)
{
    *s = (struct mp_space){.asid = p->asid};
    return mp_page_table_init(&s->table, p->format, p->memory, p->frames, p->tenant, err);
}

void mp_space_free(struct mp_space *s)
{
    mp_listeners_free(&s->listeners);
    free(s->buffer);
    *s = (struct mp_space){0};
}

static uint64_t page_bytes(const struct mp_space *s)
{
    return 1ull << s->table.format->page_shift;
}

static uint64_t page_of(const struct mp_space *s, uint64_t va)
{
    return va & ~(page_bytes(s) - 1);
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

static int note_buffer(struct mp_space *s, uint64_t va, uint64_t bytes)
{
    if (s->buffers == s->room) {
        uint32_t room = s->room ? 2 * s->room : 16;
        struct mp_space_buffer *buffer = realloc(s->buffer, room * sizeof *buffer);
        if (!buffer)
            return -1;
        s->buffer = buffer;
        s->room = room;
    }
    s->buffer[s->buffers++] = (struct mp_space_buffer){va, bytes};
    return 0;
}

static bool forget_buffer(struct mp_space *s, uint64_t va, uint64_t bytes)
{
    for (uint32_t i = 0; i < s->buffers; i++)
        if (s->buffer[i].va == va && s->buffer[i].bytes == bytes) {
            s->buffer[i] = s->buffer[--s->buffers];
            return true;
        }
    return false;
}

static bool is_used(const struct mp_space *s, uint64_t page)
{
    for (uint32_t i = 0; i < s->buffers; i++)
        if (s->buffer[i].va < page + page_bytes(s) && s->buffer[i].va + s->buffer[i].bytes > page)
            return true;
    return false;
}

/* --- mapping ---------------------------------------------------------------------------------------- */

/* The first page from `page` on that is mapped, or that is not, as `mapped` says; `end` if there is none. */
static uint64_t find_page(const struct mp_space *s, uint64_t page, uint64_t end, bool mapped)
{
    uint64_t pa;
    while (page < end && mp_page_table_find(&s->table, page, &pa) != mapped)
        page += page_bytes(s);
    return page;
}

/* Maps the first pages of a run that is not mapped, as many as the allocator has together. Returns their
 * number, or 0 with a message. */
static uint64_t map_first(struct mp_space *s, uint64_t page, uint64_t end, bool *tables, struct mp_error *err)
{
    const struct mp_frames_wish wish = {s->table.tenant, page, (end - page) / page_bytes(s)};
    uint64_t pa, taken;
    /* First the tables, then the page, as a page fault of Linux does: else each frame of 2 MB would have its
     * table in memory between its first page and the others. */
    if (mp_page_table_reach(&s->table, page, err))
        return 0;
    taken = mp_frames_take_pages(s->table.frames, &wish, &pa, err);
    for (uint64_t i = 0; i < taken; i++) {
        uint64_t at = page + i * page_bytes(s);
        if (mp_page_table_map(&s->table, at, pa + i * page_bytes(s), err)) {
            for (; i < taken; i++)
                mp_frames_give_page(s->table.frames, s->table.tenant, pa + i * page_bytes(s));
            return 0;
        }
        *tables |= changed(s, at, false);
    }
    return taken;
}

static int map_run(struct mp_space *s, uint64_t page, uint64_t end, bool *tables, struct mp_error *err)
{
    while (page < end) {
        uint64_t pages = map_first(s, page, end, tables, err);
        if (!pages)
            return -1;
        page += pages * page_bytes(s);
    }
    return 0;
}

int mp_space_map(struct mp_space *s, uint64_t va, uint64_t bytes, struct mp_error *err)
{
    uint64_t end = va + bytes, first = page_of(s, va), at = first;
    bool tables = false;
    int status = 0;
    if (end > 1ull << MP_VA_BITS || end < va)
        return mp_fail(err, "buffer at 0x%llx of %llu B ends beyond the %u-bit virtual address space",
                       (unsigned long long)va, (unsigned long long)bytes, MP_VA_BITS);
    if (note_buffer(s, va, bytes))
        return mp_fail(err, "out of memory");
    mp_frames_before_buffer(s->table.frames);
    end = page_of(s, end + page_bytes(s) - 1);
    while (!status && (at = find_page(s, at, end, false)) < end) {
        uint64_t mapped = find_page(s, at, end, true);
        status = map_run(s, at, mapped, &tables, err);
        at = mapped;
    }
    if (tables)
        shoot_down(s, true, first, end - first);
    return status;
}

/* --- changes ---------------------------------------------------------------------------------------- */

/* Frames are given back before the shootdown: nothing can take them before this function returns. The
 * shootdown names the whole range, as drivers do it, with pages that stay mapped. If upper levels depend on
 * pages, each page is a change by itself, so that nothing leaves for a page that stays. */
void mp_space_unmap(struct mp_space *s, uint64_t va, uint64_t bytes)
{
    uint64_t end = va + bytes, pa;
    if (!forget_buffer(s, va, bytes))
        return;
    for (uint64_t page = page_of(s, va); page < end; page += page_bytes(s)) {
        bool whole = page >= va && page + page_bytes(s) <= end; /* no other buffer has a part of it */
        if ((!whole && is_used(s, page)) || !mp_page_table_unmap(&s->table, page, &pa))
            continue;
        bool tables = changed(s, page, true);
        mp_frames_give_page(s->table.frames, s->table.tenant, pa);
        if (s->hook.changed)
            shoot_down(s, tables, page, 1);
    }
    if (!s->hook.changed)
        shoot_down(s, false, va, bytes);
}

bool mp_space_change(struct mp_space *s, uint64_t va, uint64_t entry)
{
    if (!(mp_page_table_entry(&s->table, va) & MP_PTE_VALID))
        return false;
    mp_page_table_change(&s->table, va, entry);
    shoot_down(s, changed(s, page_of(s, va), true), va, 1);
    return true;
}
