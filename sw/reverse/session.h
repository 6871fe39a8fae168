/* SPDX-License-Identifier: Apache-2.0 */
/* Definitions that the steps share. */
#ifndef REVERSE_SESSION_H
#define REVERSE_SESSION_H

#include <stdbool.h>

#include "reverse/reverse.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SESSION_FAR        1024u /* bytes; lines are shorter, and pages longer */
#define SESSION_LOAD_SHIFT 2u    /* loads of 4 B are aligned, so that nothing depends on lower bits */

struct session {
    const struct reverse_gpu *gpu;
    struct reverse_found *found;
    uint64_t random; /* state of a generator: the same GPU gets the same probes */
    uint32_t bits;   /* of an address */
    uint64_t *list;  /* addresses of a chase, and the cycles of its loads */
    uint32_t *cycles;
    uint32_t room;
};

uint64_t session_random(struct session *s);
/* A random address a such that a, a ^ difference and whatever differs from them in bits below the highest of
 * `reach` are in the block. */
uint64_t session_address(struct session *s, uint64_t difference, uint64_t reach);
uint64_t session_chase(struct session *s, uint32_t n); /* of s->list into s->cycles */
uint64_t session_pair(struct session *s, uint64_t a, uint64_t b);
/* The difference of an address to another line of its page, at random. */
uint64_t session_within_page(struct session *s);
/* Loads other lines of the pages of list[0 .. n-1], so that their translations are known. */
void session_translate(struct session *s, uint32_t n);
void session_progress(const struct session *s, const char *step, uint32_t done);

/* The map that a resource's functions make, found by elimination: `pivots` are bits whose unit vectors have
 * independent images, and image[i] the set of pivots whose images' sum is that of bit i. */
struct elimination {
    uint32_t first, bits; /* address bits from `first` on */
    uint32_t pivots;
    uint32_t pivot[REVERSE_MOST];
    uint64_t image[64];
};

/* Whether two addresses with this difference have equal numbers, by time. */
typedef bool same_number(struct session *s, void *context, uint64_t difference);

/* -1 if there are more than REVERSE_MOST independent functions. */
int eliminate(struct session *s, struct elimination *e, const char *step, same_number *same, void *context);
void eliminated_span(const struct elimination *e, struct reverse_span *span);
/* A difference with equal numbers that has bit i as its highest bit apart from pivots. */
uint64_t eliminated_kernel(const struct elimination *e, uint32_t i);

void span_reduce(struct reverse_span *span);
/* The intersection of two spans, in reduced form. */
void span_common(const struct reverse_span *a, const struct reverse_span *b, struct reverse_span *common);

/* Steps: 0, or -1 if it fails. */
int find_banks(struct session *s); /* Algorithm 1: bank, row_bytes */
int find_sets(struct session *s);  /* Algorithm 2: line_bytes, ways, set */

#ifdef __cplusplus
}
#endif
#endif
