/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NeiDty's neighbouring directory table (Sec. III-B): which of an L1 TLB's neighbours hold a page, by a
 * hash of the page. It is fully associative. An entry has the age of its allocation, which nothing refreshes,
 * and is valid while a neighbour holds a page of its tag.
 *
 * Pages with the same tag share an entry, so the directory may name a neighbour that does not hold the page,
 * or fail to name one that does. It never leads to a wrong translation, since neighbours compare the page.
 */
#ifndef MP_TLB_NEIGHBOUR_DIRECTORY_H
#define MP_TLB_NEIGHBOUR_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_DIRECTORY_MOST 256u /* entries */
#define MP_TAG_LEAST      4u   /* bits of a tag */
#define MP_TAG_MOST       52u

/* The bits of an entry. Those of a ring are in the order in which Fig. 5 prints them; meshes have more. */
enum mp_directory_bit {
    MP_DIRECTORY_RIGHT = 1,
    MP_DIRECTORY_LOCAL = 2,
    MP_DIRECTORY_LEFT = 4,
    MP_DIRECTORY_ONCE = 8, /* for the update policy twice-entry: a neighbour has answered once */
    MP_DIRECTORY_UP = 16,
    MP_DIRECTORY_DOWN = 32
};
#define MP_DIRECTORY_NEIGHBOURS (MP_DIRECTORY_LEFT | MP_DIRECTORY_RIGHT | MP_DIRECTORY_UP | MP_DIRECTORY_DOWN)

struct mp_directory_entry {
    uint64_t tag;
    uint8_t bits;
};

struct mp_directory {
    uint32_t capacity, count, tag_bits;
    struct mp_directory_entry *entry; /* the oldest first */
};

/* Returns -1 if memory runs out. */
int mp_directory_init(struct mp_directory *d, uint32_t entries, uint32_t tag_bits);
void mp_directory_free(struct mp_directory *d);

/* The XOR of all pieces of vpn with that many bits; then bit k of asid flips bit tag_bits - 1 - k mod
 * tag_bits. So no two of 2^tag_bits aligned pages of an address space have the same tag, and neither have
 * pages of two processes with the same layout and low asids. */
uint64_t mp_directory_tag(uint32_t tag_bits, uint16_t asid, uint64_t vpn);

/* The entry with the tag, or NULL. It is valid until the directory changes. */
struct mp_directory_entry *mp_directory_find(const struct mp_directory *d, uint64_t tag);

/* The kind of entry that an allocation replaced. */
enum mp_directory_victim { MP_VICTIM_NONE, MP_VICTIM_LOCAL, MP_VICTIM_OLDEST, MP_VICTIMS };

/* Allocates an entry with these bits, of which one is a neighbour's. No entry has the tag. If all entries are
 * valid, the oldest one whose page the TLB itself holds leaves; without one, the oldest of all. */
enum mp_directory_victim mp_directory_allocate(struct mp_directory *d, uint64_t tag, uint8_t bits);
/* The neighbour of that bit has evicted a page of the tag. */
void mp_directory_clear(struct mp_directory *d, uint64_t tag, enum mp_directory_bit neighbour);
/* The TLB itself has inserted or evicted a page of the tag. Never allocates. */
void mp_directory_set_local(struct mp_directory *d, uint64_t tag, bool holds);
void mp_directory_drop(struct mp_directory *d, uint64_t tag);
void mp_directory_empty(struct mp_directory *d);

#ifdef __cplusplus
}
#endif
#endif
