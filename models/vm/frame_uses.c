/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/frame_uses.h"

#include <stdlib.h>

#define UNITS_PER_CHUNK 512u

int mp_frame_uses_init(struct mp_frame_uses *u, struct mp_physmem *memory,
                       const struct mp_page_format *format)
{
    u->memory = memory;
    u->format = format;
    for (unsigned a = 0; a < MP_FRAME_SPACES; a++)
        u->root[a] = MP_FRAME_NOWHERE;
    u->uses = 1;
    u->chunks = (memory->bytes >> format->page_shift) / UNITS_PER_CHUNK + 1;
    u->chunk = calloc(u->chunks, sizeof *u->chunk);
    return u->chunk ? 0 : -1;
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

static struct mp_frame_unit *make_unit(struct mp_frame_uses *u, uint64_t pa)
{
    struct mp_frame_unit **chunk = &u->chunk[(pa >> u->format->page_shift) / UNITS_PER_CHUNK];
    if (!*chunk)
        *chunk = calloc(UNITS_PER_CHUNK, sizeof **chunk);
    return *chunk ? mp_frame_unit(u, pa) : NULL;
}

uint32_t mp_frame_use_of(const struct mp_frame_uses *u, const struct mp_frame_unit *unit, uint16_t asid,
                         uint64_t va)
{
    for (uint32_t i = unit->first; i; i = u->use[i].next) {
        const struct mp_frame_use *use = &u->use[i];
        if (mp_frame_is_page(u, use) && use->asid == asid &&
            use->va >> u->format->page_shift == va >> u->format->page_shift)
            return i;
    }
    return 0;
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

static int add(struct mp_frame_uses *u, const struct mp_frame_use *use)
{
    struct mp_frame_unit *unit = make_unit(u, use->frame);
    uint32_t i = unit ? spare_use(u) : 0;
    if (!i)
        return -1;
    u->use[i] = *use;
    u->use[i].next = unit->first;
    unit->first = i;
    unit->passed = 0;
    return 0;
}

/* Returns false if it is not there: another way has removed it before. */
static bool take(struct mp_frame_uses *u, const struct mp_frame_use *like, struct mp_frame_use *taken)
{
    struct mp_frame_unit *unit = mp_frame_unit(u, like->frame);
    for (uint32_t *i = unit ? &unit->first : NULL; i && *i; i = &u->use[*i].next) {
        struct mp_frame_use *use = &u->use[*i];
        if (use->at != like->at || use->asid != like->asid || use->va != like->va ||
            use->level != like->level)
            continue;
        uint32_t number = *i;
        *taken = *use;
        *i = use->next;
        use->next = u->spare;
        u->spare = number;
        unit->passed = 0;
        return true;
    }
    return false;
}

/* --- tables --------------------------------------------------------------------------------------- */

/* Sets *use to the use of a frame by an entry of a table. Returns false if walks do not follow the entry. */
static bool follow(const struct mp_frame_uses *u, const struct mp_frame_role *table, uint64_t at,
                   uint64_t entry, struct mp_frame_use *use)
{
    const struct mp_page_format *f = u->format;
    const unsigned level = table->level;
    const bool leaf = level + 1u == f->levels;
    const uint64_t page = (1ull << f->page_shift) - 1, index = at % MP_FRAME_BYTES / 8;
    *use = (struct mp_frame_use){.at = at,
                                 .va = table->va | index << f->low_bit[level],
                                 .frame = entry & MP_PTE_ADDRESS,
                                 .since = u->now,
                                 .asid = table->asid,
                                 .level = (uint8_t)(level + 1),
                                 .read_only = entry & MP_PTE_READ_ONLY};
    return entry & MP_PTE_VALID && leaf == !!(entry & MP_PTE_LEAF) && index >> f->bits[level] == 0 &&
           use->frame < u->memory->bytes && !(leaf && use->frame & page);
}

static int link(struct mp_frame_uses *u, const struct mp_frame_use *use)
{
    const struct mp_frame_role table = {use->va, use->asid, use->level};
    struct mp_frame_use below;
    if (add(u, use))
        return -1;
    for (uint64_t i = 0; !mp_frame_is_page(u, use) && i < 1ull << u->format->bits[use->level]; i++) {
        uint64_t at = use->frame + 8 * i;
        if (follow(u, &table, at, mp_physmem_read64(u->memory, at), &below) && link(u, &below))
            return -1;
    }
    return 0;
}

static int unlink(struct mp_frame_uses *u, const struct mp_frame_use *use, bool ended)
{
    const struct mp_frame_role table = {use->va, use->asid, use->level};
    struct mp_frame_use taken, below;
    if (!take(u, use, &taken))
        return 0;
    if (mp_frame_is_page(u, use))
        return u->lost(u->self, &taken, ended);
    for (uint64_t i = 0; i < 1ull << u->format->bits[use->level]; i++) {
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
        if (mp_frame_is_page(u, use) || use->frame / MP_FRAME_BYTES != at / MP_FRAME_BYTES)
            continue;
        if (u->roles == u->role_room) {
            uint32_t room = u->role_room ? 2 * u->role_room : 16;
            struct mp_frame_role *more = realloc(u->role, room * sizeof *more);
            if (!more)
                return -1;
            u->role = more;
            u->role_room = room;
        }
        u->role[u->roles++] = (struct mp_frame_role){use->va, use->asid, use->level};
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
