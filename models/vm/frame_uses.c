/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/frame_uses.h"

#include <stdlib.h>

#define UNITS_PER_CHUNK 512u

int mp_frame_uses_init(struct mp_frame_uses *u, struct mp_physmem *memory,
                       const struct mp_page_format *format)
{
    u->memory = memory;
    u->format = format;
    for (unsigned a = 0; a < MP_FRAME_SPACES; a++) {
        u->root[a] = MP_FRAME_NOWHERE;
        mp_frame_uses_set_format(u, (uint16_t)a, format);
    }
    u->uses = 1;
    u->chunks = (memory->bytes >> format->page_shift) / UNITS_PER_CHUNK + 1;
    u->chunk = calloc(u->chunks, sizeof *u->chunk);
    return u->chunk ? 0 : -1;
}

void mp_frame_uses_set_format(struct mp_frame_uses *u, uint16_t asid, const struct mp_page_format *format)
{
    u->of[asid] = format;
    u->sizes |= format->pages;
}

void mp_frame_uses_free(struct mp_frame_uses *u)
{
    for (uint64_t c = 0; u->chunk && c < u->chunks; c++)
        free(u->chunk[c]);
    free(u->chunk);
    free(u->use);
    free(u->role);
    *u = (struct mp_frame_uses){0};
}

/* --- units ---------------------------------------------------------------------------------------- */

struct mp_frame_unit *mp_frame_unit(const struct mp_frame_uses *u, uint64_t pa)
{
    uint64_t unit = pa >> u->format->page_shift;
    struct mp_frame_unit *chunk =
        unit / UNITS_PER_CHUNK < u->chunks ? u->chunk[unit / UNITS_PER_CHUNK] : NULL;
    return chunk ? &chunk[unit % UNITS_PER_CHUNK] : NULL;
}

struct mp_frame_unit *mp_frame_make_unit(struct mp_frame_uses *u, uint64_t pa)
{
    struct mp_frame_unit **chunk = &u->chunk[(pa >> u->format->page_shift) / UNITS_PER_CHUNK];
    if (!*chunk)
        *chunk = calloc(UNITS_PER_CHUNK, sizeof **chunk);
    return *chunk ? mp_frame_unit(u, pa) : NULL;
}

static uint32_t first_use(const struct mp_frame_uses *u, uint64_t pa)
{
    const struct mp_frame_unit *unit = mp_frame_unit(u, pa);
    return unit ? unit->first : 0;
}

uint32_t mp_frame_use_of(const struct mp_frame_uses *u, uint64_t pa, uint16_t asid, uint64_t va)
{
    for (uint64_t sizes = u->sizes; sizes; sizes &= sizes - 1) {
        unsigned shift = (unsigned)__builtin_ctzll(sizes);
        for (uint32_t i = first_use(u, pa >> shift << shift); i; i = u->use[i].next) {
            const struct mp_frame_use *use = &u->use[i];
            if (use->page_shift == shift && use->asid == asid && use->va >> shift == va >> shift)
                return i;
        }
    }
    return 0;
}

struct mp_frame_overlap mp_frame_overlap(const struct mp_frame_uses *u, uint64_t from, uint64_t bytes)
{
    return (struct mp_frame_overlap){.from = from,
                                     .unit = from,
                                     .end = from + bytes,
                                     .sizes = u->sizes & ~(2 * bytes - 1),
                                     .next = first_use(u, from)};
}

/* Larger pages begin at an address that is aligned to them, or before. */
static uint32_t next_larger(const struct mp_frame_uses *u, struct mp_frame_overlap *o)
{
    for (; o->sizes; o->sizes &= o->sizes - 1, o->next = 0) {
        unsigned shift = (unsigned)__builtin_ctzll(o->sizes);
        uint64_t at = o->from >> shift << shift;
        if (at == o->from)
            continue; /* it is among those of the first unit */
        for (uint32_t i = o->next ? o->next : first_use(u, at); i; i = u->use[i].next)
            if (u->use[i].page_shift == shift && i != o->next)
                return o->next = i;
    }
    return 0;
}

uint32_t mp_frame_overlap_next(const struct mp_frame_uses *u, struct mp_frame_overlap *o)
{
    const uint64_t unit = 1ull << u->format->page_shift;
    while (!o->next && o->unit + unit < o->end)
        o->next = first_use(u, o->unit += unit);
    if (o->unit + unit >= o->end && !o->next)
        o->unit = o->end;
    if (o->unit == o->end)
        return next_larger(u, o);
    uint32_t i = o->next;
    o->next = u->use[i].next;
    return i;
}

/* --- uses ----------------------------------------------------------------------------------------- */

/* Returns 0 if memory runs out. */
static uint32_t spare_use(struct mp_frame_uses *u)
{
    uint32_t i = u->spare;
    if (i) {
        u->spare = u->use[i].next;
        return i;
    }
    if (u->uses >= u->room) {
        uint32_t room = u->room ? 2 * u->room : 1024;
        struct mp_frame_use *more = realloc(u->use, room * sizeof *more);
        if (!more)
            return 0;
        u->use = more;
        u->room = room;
    }
    return u->uses++;
}

/* What has passed in memory that the use overlaps has to be looked at again. It is noted where a page begins.
 */
static void look_again(struct mp_frame_uses *u, const struct mp_frame_use *use)
{
    const uint64_t unit = 1ull << u->format->page_shift;
    const uint64_t bytes = mp_frame_is_page(use) ? 1ull << use->page_shift : unit;
    struct mp_frame_unit *at;
    for (uint64_t pa = use->frame & -unit; pa < use->frame + bytes; pa += unit)
        if ((at = mp_frame_unit(u, pa)))
            at->passed = 0;
    for (uint64_t sizes = u->sizes & -(2 * bytes); sizes; sizes &= sizes - 1)
        if ((at = mp_frame_unit(u, use->frame & -(sizes & -sizes))))
            at->passed = 0;
}

static int add(struct mp_frame_uses *u, const struct mp_frame_use *use)
{
    struct mp_frame_unit *unit = mp_frame_make_unit(u, use->frame);
    uint32_t i = unit ? spare_use(u) : 0;
    if (!i)
        return -1;
    u->use[i] = *use;
    u->use[i].next = unit->first;
    unit->first = i;
    look_again(u, use);
    return 0;
}

/* Returns false if it is not there: another way has removed it before. */
static bool take(struct mp_frame_uses *u, const struct mp_frame_use *like, struct mp_frame_use *taken)
{
    struct mp_frame_unit *unit = mp_frame_unit(u, like->frame);
    for (uint32_t *i = unit ? &unit->first : NULL; i && *i; i = &u->use[*i].next) {
        struct mp_frame_use *use = &u->use[*i];
        if (use->at != like->at || use->asid != like->asid || use->va != like->va ||
            use->page_shift != like->page_shift || use->table != like->table)
            continue;
        uint32_t number = *i;
        *taken = *use;
        *i = use->next;
        use->next = u->spare;
        u->spare = number;
        look_again(u, taken);
        return true;
    }
    return false;
}

/* --- tables --------------------------------------------------------------------------------------- */

/* Sets *use to the use of a frame by an entry of a table. Returns false if walks do not follow the entry. */
static bool follow(const struct mp_frame_uses *u, const struct mp_frame_role *table, uint64_t at,
                   uint64_t entry, struct mp_frame_use *use)
{
    const struct mp_page_format *f = u->of[table->asid];
    const struct mp_pte_form *form = mp_pte_form(f, table->table, entry);
    const uint64_t page = (1ull << form->page_shift) - 1, index = at % MP_FRAME_BYTES / 8;
    *use = (struct mp_frame_use){.at = at,
                                 .va = table->va | index << f->low_bit[table->table],
                                 .frame = mp_pte_target(form, entry),
                                 .since = u->now,
                                 .asid = table->asid,
                                 .page_shift = form->page_shift,
                                 .table = form->next,
                                 .read_only = form->page_shift && mp_pte_read_only(form, entry)};
    return entry & form->valid && (entry & form->kind) == form->is && index >> f->bits[table->table] == 0 &&
           use->frame + page < u->memory->bytes && !(use->frame & page);
}

static int link(struct mp_frame_uses *u, const struct mp_frame_use *use)
{
    const struct mp_frame_role table = {use->va, use->asid, use->table};
    struct mp_frame_use below;
    if (add(u, use))
        return -1;
    for (uint64_t i = 0; !mp_frame_is_page(use) && i < 1ull << u->of[use->asid]->bits[use->table]; i++) {
        uint64_t at = use->frame + 8 * i;
        if (follow(u, &table, at, mp_physmem_read64(u->memory, at), &below) && link(u, &below))
            return -1;
    }
    return 0;
}

static int unlink(struct mp_frame_uses *u, const struct mp_frame_use *use, bool ended)
{
    const struct mp_frame_role table = {use->va, use->asid, use->table};
    struct mp_frame_use taken, below;
    if (!take(u, use, &taken))
        return 0;
    if (mp_frame_is_page(use))
        return u->lost(u->self, &taken, ended);
    for (uint64_t i = 0; i < 1ull << u->of[use->asid]->bits[use->table]; i++) {
        uint64_t at = use->frame + 8 * i;
        if (follow(u, &table, at, mp_physmem_read64(u->memory, at), &below) && unlink(u, &below, ended))
            return -1;
    }
    return 0;
}

/* --- changes -------------------------------------------------------------------------------------- */

/* Finds the ways to the table that contains the word. */
static int find_roles(struct mp_frame_uses *u, uint64_t at)
{
    const struct mp_frame_unit *unit = mp_frame_unit(u, at);
    u->roles = 0;
    for (uint32_t i = unit ? unit->first : 0; i; i = u->use[i].next) {
        const struct mp_frame_use *use = &u->use[i];
        if (mp_frame_is_page(use) || use->frame / MP_FRAME_BYTES != at / MP_FRAME_BYTES)
            continue;
        if (u->roles == u->role_room) {
            uint32_t room = u->role_room ? 2 * u->role_room : 16;
            struct mp_frame_role *more = realloc(u->role, room * sizeof *more);
            if (!more)
                return -1;
            u->role = more;
            u->role_room = room;
        }
        u->role[u->roles++] = (struct mp_frame_role){use->va, use->asid, use->table};
    }
    return 0;
}

/* A table may lead to itself. So the ways are found again after the old word's have gone. */
int mp_frame_uses_write(struct mp_frame_uses *u, uint64_t at, uint64_t word)
{
    const uint64_t old = mp_physmem_read64(u->memory, at);
    struct mp_frame_use use;
    if (find_roles(u, at))
        return -1;
    for (uint32_t i = 0; old != word && i < u->roles; i++)
        if (follow(u, &u->role[i], at, old, &use) && unlink(u, &use, !word))
            return -1;
    if (mp_physmem_write64(u->memory, at, word) || (u->roles && find_roles(u, at)))
        return -1;
    for (uint32_t i = 0; old != word && i < u->roles; i++)
        if (follow(u, &u->role[i], at, word, &use) && link(u, &use))
            return -1;
    return 0;
}

static struct mp_frame_use root_of(const struct mp_frame_uses *u, uint16_t asid, uint64_t root)
{
    return (struct mp_frame_use){.at = MP_FRAME_NOWHERE, .frame = root, .since = u->now, .asid = asid};
}

int mp_frame_uses_set_root(struct mp_frame_uses *u, uint16_t asid, uint64_t root)
{
    const uint64_t old = u->root[asid];
    const struct mp_frame_use from = root_of(u, asid, old), to = root_of(u, asid, root);
    if (old == root)
        return 0;
    u->root[asid] = root;
    if (old < u->memory->bytes && unlink(u, &from, root == MP_FRAME_NOWHERE))
        return -1;
    return root < u->memory->bytes ? link(u, &to) : 0;
}
