/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/neidty/lockstep/neidty_cover.h"

#include <stdio.h>

static void met(struct neidty_cover *c, enum neidty_table table, unsigned row, unsigned column, bool is_met)
{
    mp_rtl_met(&c->point[c->table[table].begin + row * c->table[table].columns + column], is_met, *c->now);
}

static void event(struct neidty_cover *c, unsigned point, bool is_met)
{
    met(c, NEIDTY_EVENT, point, 0, is_met);
}

#define SIDES(point, text) [point] = "left: " text, [(point) + 1] = "right: " text

static const char *const names[NEIDTY_POINTS] = {
    [NEIDTY_ASK_NOBODY] = "lookup: asks no neighbour",
    [NEIDTY_ASK_RIGHT] = "lookup: asks right",
    [NEIDTY_ASK_LEFT] = "lookup: asks left",
    [NEIDTY_ASK_LEFT_OF_BOTH] = "lookup: asks left, and right has it, too",
    [NEIDTY_OWN_EVICTED_UNKNOWN] = "own: evicts a page without an entry",
    [NEIDTY_OWN_EVICTED] = "own: evicts a page with an entry",
    [NEIDTY_OWN_INSERTED_UNKNOWN] = "own: inserts a page without an entry",
    [NEIDTY_OWN_INSERTED] = "own: inserts a page with an entry",
    SIDES(NEIDTY_EVICTED_UNKNOWN, "evicts a page without an entry"),
    SIDES(NEIDTY_EVICTED_NOT_ITS, "evicts a page that is only the other's"),
    SIDES(NEIDTY_EVICTED_SHARED, "evicts a page that stays the other's"),
    SIDES(NEIDTY_EVICTED_FREES, "evicts a page, whose entry is free then"),
    SIDES(NEIDTY_INSERTED_SHARED, "inserts a page that the other has"),
    SIDES(NEIDTY_INSERTED_AGAIN, "inserts a page of a tag that it has"),
    SIDES(NEIDTY_INSERTED_UNKNOWN, "inserts a page without an entry"),
    SIDES(NEIDTY_BOTH_OF_A_TAG, "evicts and inserts pages of one tag"),
    [NEIDTY_ALLOCATES_FREE] = "allocates: a free entry",
    [NEIDTY_ALLOCATES_LOCAL] = "allocates: the oldest local entry",
    [NEIDTY_ALLOCATES_OLDEST] = "allocates: the oldest entry",
    [NEIDTY_ALLOCATES_FREE_TWICE] = "allocates: two free entries",
    [NEIDTY_ALLOCATES_FREE_AND_LOCAL] = "allocates: a free and a local entry",
    [NEIDTY_ALLOCATES_FREE_AND_OLDEST] = "allocates: a free entry and the oldest",
    [NEIDTY_ALLOCATES_LOCAL_TWICE] = "allocates: two local entries",
    [NEIDTY_ALLOCATES_LOCAL_AND_OLDEST] = "allocates: a local entry and the oldest",
    [NEIDTY_ALLOCATES_OLDEST_TWICE] = "allocates: the two oldest entries",
    [NEIDTY_SAME_TAG_ALLOCATED] = "both: insert pages of one tag, without an entry",
    [NEIDTY_NEW_ENTRY_EVICTED] = "both: right's entry replaces left's new one",
    [NEIDTY_EVICTED_IN_BETWEEN] = "both: right evicts what left inserts",
    [NEIDTY_TWO_FREED] = "both: free an entry",
    [NEIDTY_FREED_AND_ALLOCATED] = "both: an entry is freed and one replaced",
    [NEIDTY_TWO_LEAVE] = "both: two entries leave",
    [NEIDTY_NEITHER_AT_THE_TOP] = "both: two entries leave, and entries above them move",
    [NEIDTY_EMPTIED] = "invalidation: of all",
    [NEIDTY_DROPPED] = "invalidation: of a page with an entry",
    [NEIDTY_DROPPED_UNKNOWN] = "invalidation: of a page without an entry",
    [NEIDTY_DROPPED_LEFTS] = "invalidation: of an entry of left",
    [NEIDTY_DROPPED_RIGHTS] = "invalidation: of an entry of right",
    [NEIDTY_DROPPED_SHARED] = "invalidation: of an entry of both",
    [NEIDTY_DROPPED_OF_FULL] = "invalidation: of a page, the directory is full",
    [NEIDTY_RESET_FULL] = "reset: the directory is full",
    [NEIDTY_RESET_CHANGES] = "reset: in a clock with changes of both",
};

static bool has(const struct neidty_cover *c, enum neidty_table table, unsigned row, unsigned column)
{
    switch (table) {
    case NEIDTY_TWO:
        return row % NEIDTY_CHANGES < row / NEIDTY_CHANGES;
    case NEIDTY_NEAR:
        return column < c->tag_bits;
    default:
        return true;
    }
}

static void list(struct neidty_cover *c)
{
    const unsigned sizes[NEIDTY_TABLES][2] = {
        [NEIDTY_EVENT] = {NEIDTY_POINTS, 1},
        [NEIDTY_VALID] = {c->entries + 1, 1},
        [NEIDTY_CLOCK] = {1u << NEIDTY_CHANGES, NEIDTY_FILLS},
        [NEIDTY_TWO] = {NEIDTY_CHANGES * NEIDTY_CHANGES, NEIDTY_RELATIONS},
        [NEIDTY_END] = {NEIDTY_PORTS, 2},
        [NEIDTY_NEAR] = {NEIDTY_PORTS, c->tag_bits},
        [NEIDTY_APART] = {c->tag_bits, 1},
        [NEIDTY_LEAVES] = {c->entries, 1},
        [NEIDTY_CLEARED] = {1u << 4, 1}};
    unsigned place = 0;
    for (enum neidty_table table = 0; table < NEIDTY_TABLES; table++) {
        c->table[table].begin = place;
        c->table[table].rows = sizes[table][0];
        c->table[table].columns = sizes[table][1];
        for (unsigned i = 0; i < sizes[table][0] * sizes[table][1]; i++, place++)
            if (has(c, table, i / sizes[table][1], i % sizes[table][1]))
                c->listed[c->count++] = (uint16_t)place;
    }
}

void neidty_cover_init(struct neidty_cover *c, uint32_t entries, uint32_t tag_bits)
{
    *c = (struct neidty_cover){.now = c->now, .entries = entries, .tag_bits = tag_bits};
    list(c);
}

static uint8_t bits_of(const struct mp_directory *d, uint64_t page)
{
    const struct mp_directory_entry *e = mp_directory_find(d, neidty_tag_of(d->tag_bits, page));
    return e ? e->bits : 0;
}

static bool is_valid(uint64_t page)
{
    return page & NEIDTY_RTL_VALID;
}

enum neidty_fill neidty_cover_fill(const struct mp_directory *d)
{
    return !d->count                     ? NEIDTY_EMPTY
           : d->count == d->capacity     ? NEIDTY_FULL
           : d->count + 1 == d->capacity ? NEIDTY_ONE_FREE
                                         : NEIDTY_BETWEEN;
}

uint64_t neidty_cover_page(const struct neidty_rtl_clock *in, enum neidty_port port)
{
    return port == NEIDTY_LOOKUP ? in->lookup | NEIDTY_RTL_VALID
           : port & 1            ? in->inserted[port / 2]
                                 : in->evicted[port / 2];
}

static bool is_one_bit(uint64_t n)
{
    return n && !(n & (n - 1));
}

/* Which changes come in the clock. */
static unsigned changes_of(const struct neidty_rtl_clock *in)
{
    unsigned changes = 0;
    for (unsigned port = 0; port < NEIDTY_CHANGES; port++)
        changes |= (unsigned)is_valid(neidty_cover_page(in, port)) << port;
    return changes;
}

/* How the pages of two changes are related. */
static void cover_two(struct neidty_cover *c, unsigned later, unsigned earlier, uint64_t a, uint64_t b)
{
    unsigned row = later * NEIDTY_CHANGES + earlier;
    uint64_t tags = neidty_tag_of(c->tag_bits, a) ^ neidty_tag_of(c->tag_bits, b);
    bool same = !((a ^ b) & NEIDTY_RTL_PAGE);
    met(c, NEIDTY_TWO, row, NEIDTY_SAME_PAGE, same);
    met(c, NEIDTY_TWO, row, NEIDTY_SAME_TAG, !same && !tags);
    met(c, NEIDTY_TWO, row, NEIDTY_NEAR_TAG, is_one_bit(tags));
    if (later == NEIDTY_RIGHT_INSERTS && earlier == NEIDTY_LEFT_INSERTS && is_one_bit(tags))
        met(c, NEIDTY_APART, (unsigned)__builtin_ctzll(tags), 0, true);
}

/* Whether a port that took the entry for its page's would change it, or allocate another one. */
static bool matters(enum neidty_port port, uint8_t bits)
{
    switch (port) {
    case NEIDTY_OWN_EVICTS:
        return bits & MP_DIRECTORY_LOCAL;
    case NEIDTY_OWN_INSERTS:
        return !(bits & MP_DIRECTORY_LOCAL);
    case NEIDTY_LEFT_EVICTS:
        return bits & MP_DIRECTORY_LEFT;
    case NEIDTY_RIGHT_EVICTS:
        return bits & MP_DIRECTORY_RIGHT;
    default:
        return true;
    }
}

/* Where the entry of a port's page is, and which entries' tags differ in one bit. */
static void cover_entries(struct neidty_cover *c, const struct mp_directory *before, enum neidty_port port,
                          uint64_t page)
{
    uint64_t tag = neidty_tag_of(c->tag_bits, page);
    uint64_t near = 0;
    bool known = false;
    for (uint32_t i = 0; i < before->count; i++) {
        uint64_t apart = before->entry[i].tag ^ tag;
        known |= !apart;
        if (is_one_bit(apart) && matters(port, before->entry[i].bits))
            near |= apart;
    }
    met(c, NEIDTY_END, port, 0, before->count > 1 && before->entry[0].tag == tag);
    met(c, NEIDTY_END, port, 1, before->count > 1 && before->entry[before->count - 1].tag == tag);
    for (near = known ? 0 : near; near; near &= near - 1)
        met(c, NEIDTY_NEAR, port, (unsigned)__builtin_ctzll(near), true);
}

static void cover_ports(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                        const struct mp_directory *before)
{
    unsigned changes = changes_of(in);
    met(c, NEIDTY_CLOCK, changes, neidty_cover_fill(before), true);
    cover_entries(c, before, NEIDTY_LOOKUP, in->lookup);
    for (unsigned later = 0; later < NEIDTY_CHANGES; later++) {
        uint64_t page = neidty_cover_page(in, later);
        if (!(changes >> later & 1))
            continue;
        cover_entries(c, before, later, page);
        for (unsigned earlier = 0; earlier < later; earlier++)
            if (changes >> earlier & 1)
                cover_two(c, later, earlier, page, neidty_cover_page(in, earlier));
    }
}

static void cover_drop(struct neidty_cover *c, const struct mp_directory *before, uint8_t bits)
{
    const uint8_t neighbours = MP_DIRECTORY_LEFT | MP_DIRECTORY_RIGHT;
    event(c, NEIDTY_DROPPED, bits);
    event(c, NEIDTY_DROPPED_UNKNOWN, !bits);
    event(c, NEIDTY_DROPPED_LEFTS, (bits & neighbours) == MP_DIRECTORY_LEFT);
    event(c, NEIDTY_DROPPED_RIGHTS, (bits & neighbours) == MP_DIRECTORY_RIGHT);
    event(c, NEIDTY_DROPPED_SHARED, (bits & neighbours) == neighbours);
    event(c, NEIDTY_DROPPED_OF_FULL, bits && before->count == before->capacity);
}

void neidty_cover_interrupted(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                              const struct mp_directory *before)
{
    unsigned changes = changes_of(in);
    event(c, NEIDTY_RESET_FULL, before->count == before->capacity);
    event(c, NEIDTY_RESET_CHANGES, changes >> NEIDTY_LEFT_INSERTS & 1 && changes >> NEIDTY_RIGHT_INSERTS & 1);
}

/* What the clock's messages find, without regard to each other. */
static void cover_side(struct neidty_cover *c, const struct mp_directory *before, unsigned right,
                       uint64_t evicted, uint64_t inserted)
{
    const uint8_t neighbours = MP_DIRECTORY_LEFT | MP_DIRECTORY_RIGHT;
    const uint8_t its = right ? MP_DIRECTORY_RIGHT : MP_DIRECTORY_LEFT;
    if (is_valid(evicted)) {
        uint8_t bits = bits_of(before, evicted) & neighbours;
        event(c, NEIDTY_EVICTED_UNKNOWN + right, !bits);
        event(c, NEIDTY_EVICTED_NOT_ITS + right, bits && !(bits & its));
        event(c, NEIDTY_EVICTED_SHARED + right, bits == neighbours);
        event(c, NEIDTY_EVICTED_FREES + right, bits == its);
    }
    if (is_valid(inserted)) {
        uint8_t bits = bits_of(before, inserted) & neighbours;
        event(c, NEIDTY_INSERTED_UNKNOWN + right, !bits);
        event(c, NEIDTY_INSERTED_SHARED + right, bits && !(bits & its));
        event(c, NEIDTY_INSERTED_AGAIN + right, (bits & its) != 0);
    }
    event(c, NEIDTY_BOTH_OF_A_TAG + right,
          is_valid(evicted) && is_valid(inserted) &&
              neidty_tag_of(before->tag_bits, evicted) == neidty_tag_of(before->tag_bits, inserted));
}

static void cover_allocations(struct neidty_cover *c, const uint64_t allocated[MP_VICTIMS])
{
    uint64_t n = allocated[MP_VICTIM_NONE], local = allocated[MP_VICTIM_LOCAL],
             oldest = allocated[MP_VICTIM_OLDEST];
    event(c, NEIDTY_ALLOCATES_FREE, n == 1 && !local && !oldest);
    event(c, NEIDTY_ALLOCATES_LOCAL, !n && local == 1 && !oldest);
    event(c, NEIDTY_ALLOCATES_OLDEST, !n && !local && oldest == 1);
    event(c, NEIDTY_ALLOCATES_FREE_TWICE, n == 2);
    event(c, NEIDTY_ALLOCATES_FREE_AND_LOCAL, n && local);
    event(c, NEIDTY_ALLOCATES_FREE_AND_OLDEST, n && oldest);
    event(c, NEIDTY_ALLOCATES_LOCAL_TWICE, local == 2);
    event(c, NEIDTY_ALLOCATES_LOCAL_AND_OLDEST, local && oldest);
    event(c, NEIDTY_ALLOCATES_OLDEST_TWICE, oldest == 2);
}

/* How the messages meet. */
static void cover_both(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                       const struct mp_directory *before, const struct mp_directory *after,
                       const uint64_t allocated[MP_VICTIMS])
{
    uint64_t left = in->inserted[NEIDTY_LEFT], right = in->inserted[NEIDTY_RIGHT];
    uint64_t freed = in->evicted[NEIDTY_RIGHT],
             replaced = allocated[MP_VICTIM_LOCAL] + allocated[MP_VICTIM_OLDEST];
    uint32_t bits = before->tag_bits, gone = 0, last = 0;
    for (uint32_t i = 0; i < before->count; i++)
        if (!mp_directory_find(after, before->entry[i].tag)) {
            gone++;
            last = i;
            met(c, NEIDTY_LEAVES, i, 0, true);
        }
    if (is_valid(left) && is_valid(right)) {
        bool same = neidty_tag_of(bits, left) == neidty_tag_of(bits, right);
        event(c, NEIDTY_SAME_TAG_ALLOCATED, same && !bits_of(before, left));
        event(c, NEIDTY_NEW_ENTRY_EVICTED, !bits_of(after, left));
    }
    event(c, NEIDTY_EVICTED_IN_BETWEEN,
          is_valid(left) && is_valid(freed) && neidty_tag_of(bits, left) == neidty_tag_of(bits, freed));
    event(c, NEIDTY_TWO_FREED, gone == 2 && !replaced);
    event(c, NEIDTY_FREED_AND_ALLOCATED, gone == 2 && replaced == 1);
    event(c, NEIDTY_TWO_LEAVE, gone == 2);
    event(c, NEIDTY_NEITHER_AT_THE_TOP, gone == 2 && last + 1 < before->count);
}

void neidty_cover_clock(struct neidty_cover *c, const struct neidty_rtl_clock *in,
                        const struct mp_directory *before, const struct mp_directory *after,
                        const uint64_t allocated[MP_VICTIMS])
{
    uint8_t bits = bits_of(before, in->lookup);
    uint64_t evicted = in->evicted[NEIDTY_OWN], inserted = in->inserted[NEIDTY_OWN];
    met(c, NEIDTY_VALID, after->count, 0, true);
    if (in->drop) {
        cover_drop(c, before, bits_of(before, in->evicted[NEIDTY_LEFT]));
        return;
    }
    event(c,
          !(bits & (MP_DIRECTORY_LEFT | MP_DIRECTORY_RIGHT)) ? NEIDTY_ASK_NOBODY
          : !(bits & MP_DIRECTORY_LEFT)                      ? NEIDTY_ASK_RIGHT
          : !(bits & MP_DIRECTORY_RIGHT)                     ? NEIDTY_ASK_LEFT
                                                             : NEIDTY_ASK_LEFT_OF_BOTH,
          true);
    if (is_valid(evicted))
        event(c, bits_of(before, evicted) ? NEIDTY_OWN_EVICTED : NEIDTY_OWN_EVICTED_UNKNOWN, true);
    if (is_valid(inserted))
        event(c, bits_of(before, inserted) ? NEIDTY_OWN_INSERTED : NEIDTY_OWN_INSERTED_UNKNOWN, true);
    cover_ports(c, in, before);
    cover_side(c, before, 0, in->evicted[NEIDTY_LEFT], in->inserted[NEIDTY_LEFT]);
    cover_side(c, before, 1, in->evicted[NEIDTY_RIGHT], in->inserted[NEIDTY_RIGHT]);
    event(c, NEIDTY_EMPTIED, in->empty);
    if (in->empty) {
        met(c, NEIDTY_CLEARED, changes_of(in) >> NEIDTY_LEFT_EVICTS, 0, true);
        return;
    }
    cover_allocations(c, allocated);
    cover_both(c, in, before, after, allocated);
}

static void name_changes(char text[40], unsigned changes, unsigned from)
{
    static const char *const words[NEIDTY_CHANGES] = {"own- ",  "own+ ",   "left- ",
                                                      "left+ ", "right- ", "right+ "};
    size_t at = 0;
    *text = 0;
    for (unsigned port = from; port < NEIDTY_CHANGES; port++)
        if (changes >> (port - from) & 1)
            at += (size_t)snprintf(text + at, 40 - at, "%s", words[port]);
    if (at)
        text[at - 1] = 0;
    else
        snprintf(text, 40, "nothing");
}

static void name_of(enum neidty_table table, unsigned row, unsigned column, char name[MP_RTL_POINT_NAME])
{
    static const char *const ports[] = {"own-", "own+", "left-", "left+", "right-", "right+", "lookup"};
    static const char *const fills[] = {"empty", "one is free", "full", "neither empty nor full"};
    static const char *const relations[] = {"the same page", "pages of one tag", "tags one bit apart"};
    char text[40];
    switch (table) {
    case NEIDTY_EVENT:
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[row]);
        break;
    case NEIDTY_VALID:
        snprintf(name, MP_RTL_POINT_NAME, "valid entries: %u", row);
        break;
    case NEIDTY_CLOCK:
        name_changes(text, row, 0);
        snprintf(name, MP_RTL_POINT_NAME, "%s: %s", fills[column], text);
        break;
    case NEIDTY_TWO:
        snprintf(name, MP_RTL_POINT_NAME, "%s %s: %s", ports[row % NEIDTY_CHANGES],
                 ports[row / NEIDTY_CHANGES], relations[column]);
        break;
    case NEIDTY_END:
        snprintf(name, MP_RTL_POINT_NAME, "%s: the %s entry's page", ports[row],
                 column ? "youngest" : "oldest");
        break;
    case NEIDTY_NEAR:
        snprintf(name, MP_RTL_POINT_NAME, "%s: bit %u alone differs from an entry", ports[row], column);
        break;
    case NEIDTY_APART:
        snprintf(name, MP_RTL_POINT_NAME, "left+ right+: bit %u alone differs", row);
        break;
    case NEIDTY_LEAVES:
        snprintf(name, MP_RTL_POINT_NAME, "entry %u leaves", row);
        break;
    default:
        name_changes(text, row, NEIDTY_LEFT_EVICTS);
        snprintf(name, MP_RTL_POINT_NAME, "invalidation: of all, with %s", text);
        break;
    }
}

bool neidty_cover_point(const struct neidty_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                        struct mp_rtl_point *point)
{
    if (number >= c->count)
        return false;
    unsigned place = c->listed[number];
    enum neidty_table table = NEIDTY_TABLES - 1;
    while (c->table[table].begin > place)
        table--;
    unsigned of = place - c->table[table].begin;
    name_of(table, of / c->table[table].columns, of % c->table[table].columns, name);
    *point = c->point[place];
    return true;
}

bool neidty_cover_open(const struct neidty_cover *c, const bool *known, enum neidty_table table, unsigned row,
                       unsigned column)
{
    unsigned place = c->table[table].begin + row * c->table[table].columns + column, low = 0, high = c->count;
    if (c->point[place].taken)
        return false;
    while (low < high) { /* numbers have the order of places */
        unsigned middle = (low + high) / 2;
        if (c->listed[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->count && c->listed[low] == place && !(known && known[low]);
}
