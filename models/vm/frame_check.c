/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/frame_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS            (MP_FRAME_BYTES / 8)
#define FRAMES_PER_CHUNK 512u

struct mp_frame_touches { /* struct mp_table_writes.now; 0 for never */
    uint64_t read[WORDS], written[WORDS];
};

static int lost(void *check, const struct mp_frame_use *use, bool ended);

int mp_frame_check_init(struct mp_frame_check *c, struct mp_physmem *memory,
                        const struct mp_page_format *format)
{
    c->uses.self = c;
    c->uses.lost = lost;
    c->chunks = memory->bytes / MP_FRAME_BYTES / FRAMES_PER_CHUNK + 1;
    c->chunk = calloc(c->chunks, sizeof *c->chunk);
    return c->chunk ? mp_frame_uses_init(&c->uses, memory, format) : -1;
}

void mp_frame_check_free(struct mp_frame_check *c)
{
    for (uint64_t i = 0; c->chunk && i < c->chunks; i++) {
        for (unsigned f = 0; c->chunk[i] && f < FRAMES_PER_CHUNK; f++)
            free(c->chunk[i][f]);
        free(c->chunk[i]);
    }
    free(c->chunk);
    mp_table_writes_free(&c->writes);
    mp_frame_uses_free(&c->uses);
    mp_notes_free(&c->home);
    *c = (struct mp_frame_check){0};
}

/* --- contents ------------------------------------------------------------------------------------- */

/* Contents and homes are noted by pieces of the format's smallest page, for pages may change their size. */
static uint64_t piece_bytes(const struct mp_frame_check *c)
{
    return 1ull << c->uses.format->page_shift;
}

static uint64_t page_key(const struct mp_frame_check *c, uint16_t asid, uint64_t va)
{
    return (va >> c->uses.format->page_shift) * MP_FRAME_SPACES + asid;
}

static int lost(void *check, const struct mp_frame_use *use, bool ended)
{
    struct mp_frame_check *c = check;
    for (uint64_t at = 0; at < 1ull << use->page_shift; at += piece_bytes(c)) {
        struct mp_note *home = mp_notes_find(&c->home, page_key(c, use->asid, use->va + at));
        if (!home)
            continue;
        home->home.ended |= ended;
        if (home->home.frame == use->frame + at && use->stored > home->when)
            home->when = use->stored;
    }
    return 0;
}

static const struct mp_frame_touches *find_touches(const struct mp_frame_check *c, uint64_t at)
{
    uint64_t frame = at / MP_FRAME_BYTES;
    struct mp_frame_touches *const *chunk = c->chunk[frame / FRAMES_PER_CHUNK];
    return chunk ? chunk[frame % FRAMES_PER_CHUNK] : NULL;
}

/* Returns NULL if memory runs out. */
static struct mp_frame_touches *touches(struct mp_frame_check *c, uint64_t at)
{
    uint64_t frame = at / MP_FRAME_BYTES;
    struct mp_frame_touches ***chunk = &c->chunk[frame / FRAMES_PER_CHUNK];
    if (!*chunk && !(*chunk = calloc(FRAMES_PER_CHUNK, sizeof **chunk)))
        return NULL;
    struct mp_frame_touches **t = &(*chunk)[frame % FRAMES_PER_CHUNK];
    if (!*t)
        *t = calloc(1, sizeof **t);
    return *t;
}

/* Number of words that a copy of the piece to another frame would have read, but that were not read; and of
 * those that it would have written. */
static void count_missing(const struct mp_frame_check *c, uint64_t from, uint64_t to, uint64_t since,
                          unsigned *unread, unsigned *unwritten)
{
    *unread = *unwritten = 0;
    for (uint64_t at = 0; at < piece_bytes(c); at += 8) {
        const struct mp_frame_touches *r = find_touches(c, from + at), *w = find_touches(c, to + at);
        *unread += !r || r->read[at / 8 % WORDS] <= since;
        *unwritten += !w || w->written[at / 8 % WORDS] <= since;
    }
}

/* --- software ------------------------------------------------------------------------------------- */

static int write_word(struct mp_frame_check *c, uint64_t at, uint64_t word, const struct mp_store *by)
{
    struct mp_frame_touches *t = touches(c, at);
    if (!t || mp_table_writes_note(&c->writes, c->uses.memory, at, word, by))
        return -1;
    c->uses.now = t->written[at / 8 % WORDS] = c->writes.now;
    return mp_frame_uses_write(&c->uses, at, word);
}

int mp_frame_check_write(struct mp_frame_check *c, uint64_t at, const void *from, size_t bytes,
                         const struct mp_store *by)
{
    const uint8_t *byte = from;
    for (size_t done = 0, part; done < bytes; done += part) {
        size_t offset = (at + done) % 8;
        uint64_t word = mp_physmem_read64(c->uses.memory, at + done);
        part = 8 - offset < bytes - done ? 8 - offset : bytes - done;
        memcpy((uint8_t *)&word + offset, byte + done, part);
        if (write_word(c, (at + done) & ~7ull, word, by))
            return -1;
    }
    return 0;
}

/* Only reads of frames that have a page's contents are of use. */
int mp_frame_check_read(struct mp_frame_check *c, uint64_t at, size_t bytes)
{
    c->writes.now++;
    for (uint64_t word = at & ~7ull; word < at + bytes; word += 8) {
        const struct mp_frame_unit *unit = mp_frame_unit(&c->uses, word);
        struct mp_frame_touches *t = unit && unit->holds ? touches(c, word) : NULL;
        if (t)
            t->read[word / 8 % WORDS] = c->writes.now;
        else if (unit && unit->holds)
            return -1;
    }
    return 0;
}

int mp_frame_check_set_table(struct mp_frame_check *c, uint16_t asid, const struct mp_page_format *format,
                             uint64_t root)
{
    if (c->uses.of[asid] != format) {
        if (mp_frame_check_set_root(c, asid, MP_FRAME_NOWHERE))
            return -1;
        mp_frame_uses_set_format(&c->uses, asid, format);
    }
    return mp_frame_check_set_root(c, asid, root);
}

int mp_frame_check_set_root(struct mp_frame_check *c, uint16_t asid, uint64_t root)
{
    if (c->uses.root[asid] == root)
        return 0;
    mp_table_writes_set_root(&c->writes, asid);
    c->uses.now = c->writes.now;
    return mp_frame_uses_set_root(&c->uses, asid, root);
}

void mp_frame_check_wake(struct mp_frame_check *c, uint16_t asid)
{
    const struct mp_scope all = {.every_page = true, .asid = asid};
    mp_table_writes_invalidate(&c->writes, &all); /* of all pages: cannot fail */
}

void mp_frame_check_launch(struct mp_frame_check *c, uint16_t asid)
{
    c->launch[asid]++;
}

/* --- messages ------------------------------------------------------------------------------------- */

/* ", stored at pc 0x80000a14 in cycle 2100" */
static void describe_store(const struct mp_frame_check *c, char *text, size_t size, uint64_t at)
{
    const struct mp_note *store = mp_table_writes_store(&c->writes, at);
    char place[256] = "";
    text[0] = '\0';
    if (store && c->place && store->by.pc)
        c->place(c->self, &store->by, place, sizeof place);
    if (store && store->by.pc)
        snprintf(text, size, ", stored at pc 0x%" PRIx64 "%s in cycle %" PRIu64, store->by.pc, place,
                 store->by.cycle);
    else if (store)
        snprintf(text, size, ", stored by the copy engine in cycle %" PRIu64, store->by.cycle);
}

/* "page 0x40000 of space 1 (entry at 0x7000, stored ...)" */
static void describe_use(const struct mp_frame_check *c, char *text, size_t size,
                         const struct mp_frame_use *use)
{
    char store[320];
    describe_store(c, store, sizeof store, use->at);
    if (use->at == MP_FRAME_NOWHERE)
        snprintf(text, size, "the root table of space %u", use->asid);
    else if (mp_frame_is_page(use))
        snprintf(text, size, "page 0x%" PRIx64 " of space %u (entry at 0x%" PRIx64 "%s)",
                 use->va >> c->uses.format->page_shift, use->asid, use->at, store);
    else
        snprintf(text, size, "a page table of space %u, level %u (entry at 0x%" PRIx64 "%s)", use->asid,
                 c->uses.of[use->asid]->level[use->table], use->at, store);
}

static uint64_t frame_number(const struct mp_frame_check *c, uint64_t pa)
{
    return pa >> c->uses.format->page_shift;
}

/* A use whose entry was made after this time, other than this page's; NULL if there is none. */
static const struct mp_frame_use *made_since(const struct mp_frame_check *c,
                                             const struct mp_translation_answer *a, uint64_t when)
{
    uint32_t i, own = mp_frame_use_of(&c->uses, a->pa, a->asid, a->va);
    struct mp_frame_overlap o = mp_frame_overlap(&c->uses, a->pa & -piece_bytes(c), piece_bytes(c));
    while ((i = mp_frame_overlap_next(&c->uses, &o)))
        if (i != own && c->uses.use[i].since > when)
            return &c->uses.use[i];
    return NULL;
}

void mp_frame_check_explain(const struct mp_frame_check *c, const struct mp_page_table *t,
                            const struct mp_translation_answer *a, struct mp_error *err)
{
    uint64_t at[MP_MAX_LEVELS], entry = at[mp_page_table_walk(t, a->va, at) - 1];
    const struct mp_frame_use *now =
        a->faults ? NULL : made_since(c, a, mp_table_writes_changed(&c->writes, t, a->asid, a->va));
    char store[320], is[480] = "";
    const struct mp_error said = *err;
    describe_store(c, store, sizeof store, entry);
    if (now)
        describe_use(c, is, sizeof is, now);
    mp_fail(err, "space %u: %s%s%s%s", a->asid, said.text, store, now ? "; the frame is now " : "", is);
}

/* --- answers -------------------------------------------------------------------------------------- */

/* The page's entry was cleared and the page not invalidated, so the answer may come; a store still changes
 * the page's contents. */
static int check_old(struct mp_frame_check *c, const struct mp_page_table *t,
                     const struct mp_translation_answer *a, struct mp_error *err)
{
    const struct mp_frame_use *now = made_since(c, a, mp_table_writes_changed(&c->writes, t, a->asid, a->va));
    uint64_t at[MP_MAX_LEVELS], entry = at[mp_page_table_walk(t, a->va, at) - 1];
    struct mp_note *home = mp_notes_find(&c->home, page_key(c, a->asid, a->va));
    char is[480], store[320], walk[300];
    if (home && a->stores && frame_number(c, home->home.frame ^ a->pa) == 0)
        home->when = c->writes.now;
    if (!now)
        return 0;
    describe_use(c, is, sizeof is, now);
    describe_store(c, store, sizeof store, entry);
    mp_translation_walk(walk, sizeof walk, t, a->va);
    return mp_fail(err,
                   "page 0x%" PRIx64 " of space %u was translated to frame 0x%" PRIx64
                   ", which is now %s, before the page was invalidated; walk: %s%s",
                   frame_number(c, a->va), a->asid, frame_number(c, a->pa), is, walk, store);
}

/* A use of the frame that stores must not reach: a page table, or another tenant's page that is writable. */
static const struct mp_frame_use *protected_use(const struct mp_frame_check *c,
                                                const struct mp_frame_use *page)
{
    struct mp_frame_overlap o = mp_frame_overlap(&c->uses, page->frame, 1ull << page->page_shift);
    for (uint32_t i; (i = mp_frame_overlap_next(&c->uses, &o));) {
        const struct mp_frame_use *u = &c->uses.use[i];
        if (!mp_frame_is_page(u) || (u->asid != page->asid && !u->read_only))
            return u;
    }
    return NULL;
}

static int check_owner(const struct mp_frame_check *c, const struct mp_page_table *t,
                       const struct mp_translation_answer *a, const struct mp_frame_use *page,
                       struct mp_error *err)
{
    const struct mp_frame_use *other = page->read_only ? NULL : protected_use(c, page);
    char is[480], own[480], walk[300];
    if (!other)
        return 0;
    describe_use(c, own, sizeof own, page);
    describe_use(c, is, sizeof is, other);
    mp_translation_walk(walk, sizeof walk, t, a->va);
    return mp_fail(err, "frame 0x%" PRIx64 " is writable as %s, and %s %s; walk: %s", frame_number(c, a->pa),
                   own, mp_frame_is_page(other) ? "as" : "is", is, walk);
}

/* Whether the page keeps its contents, which were in another frame. */
static bool continues(const struct mp_frame_check *c, const struct mp_note *home, uint16_t asid)
{
    return home->home.launch == c->launch[asid] || !home->home.ended;
}

/* The piece of the page at this offset. */
static int check_piece(const struct mp_frame_check *c, const struct mp_page_table *t,
                       const struct mp_translation_answer *a, const struct mp_frame_use *page, uint64_t at,
                       struct mp_error *err)
{
    const struct mp_note *home = mp_notes_find(&c->home, page_key(c, a->asid, page->va + at));
    unsigned unread, unwritten;
    char own[480], walk[300];
    if (!home || home->home.frame == page->frame + at || !continues(c, home, a->asid))
        return 0;
    count_missing(c, home->home.frame, page->frame + at, home->when, &unread, &unwritten);
    if (!unread && !unwritten)
        return 0;
    describe_use(c, own, sizeof own, page);
    mp_translation_walk(walk, sizeof walk, t, a->va);
    return mp_fail(err,
                   "%s was moved from frame 0x%" PRIx64 " to frame 0x%" PRIx64
                   " without its contents: since its last store, %u words of the old frame were not read, "
                   "%u of the new one not written; walk: %s",
                   own, frame_number(c, home->home.frame), frame_number(c, page->frame + at), unread,
                   unwritten, walk);
}

static int check_contents(const struct mp_frame_check *c, const struct mp_page_table *t,
                          const struct mp_translation_answer *a, const struct mp_frame_use *page,
                          struct mp_error *err)
{
    for (uint64_t at = 0; at < 1ull << page->page_shift; at += piece_bytes(c))
        if (check_piece(c, t, a, page, at, err))
            return -1;
    return 0;
}

/* The page has its contents in this frame now. */
static int settle(struct mp_frame_check *c, const struct mp_translation_answer *a,
                  const struct mp_frame_use *page)
{
    for (uint64_t at = 0; at < 1ull << page->page_shift; at += piece_bytes(c)) {
        const uint64_t key = page_key(c, a->asid, page->va + at), frame = page->frame + at;
        const struct mp_note *old = mp_notes_find(&c->home, key);
        const bool stays = old && old->home.frame == frame;
        struct mp_frame_unit *unit = mp_frame_make_unit(&c->uses, frame);
        if (!unit || mp_notes_set(&c->home, &(struct mp_note){.key = key,
                                                              .when = stays ? old->when : c->writes.now,
                                                              .home = {frame, c->launch[a->asid], false}}))
            return -1;
        unit->holds = true;
    }
    return 0;
}

/* The use whose latest answer in this launch has passed all checks, if it is of this page. */
static struct mp_frame_use *passed_use(const struct mp_frame_check *c, const struct mp_translation_answer *a)
{
    for (uint64_t sizes = c->uses.sizes; sizes; sizes &= sizes - 1) {
        const uint64_t bytes = sizes & -sizes;
        const struct mp_frame_unit *unit = mp_frame_unit(&c->uses, a->pa & -bytes);
        struct mp_frame_use *page = &c->uses.use[unit ? unit->passed : 0];
        if (unit && unit->passed && page->asid == a->asid && unit->launch == c->launch[a->asid] &&
            1ull << page->page_shift == bytes && ((page->va ^ a->va) & -bytes) == 0)
            return page;
    }
    return NULL;
}

/* Whether the page's data is there. */
static int check_arrival(const struct mp_frame_check *c, const struct mp_page_table *t,
                         const struct mp_translation_answer *a, struct mp_error *err)
{
    const uint64_t bytes = 1ull << (a->page ? a->page : c->uses.format->page_shift);
    char walk[300];
    if (!c->arrives || !c->arrives(c->self, a->pa & -bytes, bytes))
        return 0;
    mp_translation_walk(walk, sizeof walk, t, a->va);
    return mp_fail(err,
                   "page 0x%" PRIx64 " of space %u was translated to frame 0x%" PRIx64
                   ", and the copy to it has not ended; walk: %s",
                   a->va >> c->uses.format->page_shift, a->asid, frame_number(c, a->pa), walk);
}

int mp_frame_check_answer(struct mp_frame_check *c, const struct mp_page_table *t,
                          const struct mp_translation_answer *a, struct mp_error *err)
{
    if (a->faults)
        return 0;
    if (check_arrival(c, t, a, err))
        return -1;
    struct mp_frame_use *page = passed_use(c, a);
    if (!page) {
        uint32_t i = mp_frame_use_of(&c->uses, a->pa, a->asid, a->va);
        page = &c->uses.use[i];
        if (!i)
            return check_old(c, t, a, err);
        if (check_owner(c, t, a, page, err) || check_contents(c, t, a, page, err))
            return -1;
        if (settle(c, a, page))
            return mp_fail(err, "out of memory");
        struct mp_frame_unit *unit = mp_frame_unit(&c->uses, page->frame);
        unit->passed = i;
        unit->launch = c->launch[a->asid];
    }
    if (a->stores)
        page->stored = c->writes.now;
    return 0;
}
