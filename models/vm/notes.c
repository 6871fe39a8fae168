/* SPDX-License-Identifier: Apache-2.0 */
#include "vm/notes.h"

#include <stdlib.h>

static struct mp_note *place_of(const struct mp_notes *n, uint64_t key)
{
    size_t i = (key * 0x9e3779b97f4a7c15) >> 20 & (n->places - 1);
    while (n->place[i].when && n->place[i].key != key)
        i = (i + 1) & (n->places - 1);
    return &n->place[i];
}

struct mp_note *mp_notes_find(const struct mp_notes *n, uint64_t key)
{
    struct mp_note *at = n->places ? place_of(n, key) : NULL;
    return at && at->when ? at : NULL;
}

/* At least half of the places stay vacant. */
static int make_room(struct mp_notes *n)
{
    struct mp_notes more = {.places = n->places ? 2 * n->places : 1024, .used = n->used};
    if (2 * (n->used + 1) <= n->places)
        return 0;
    more.place = calloc(more.places, sizeof *more.place);
    if (!more.place)
        return -1;
    for (size_t i = 0; i < n->places; i++)
        if (n->place[i].when)
            *place_of(&more, n->place[i].key) = n->place[i];
    free(n->place);
    *n = more;
    return 0;
}

int mp_notes_set(struct mp_notes *n, const struct mp_note *note)
{
    if (make_room(n))
        return -1;
    struct mp_note *at = place_of(n, note->key);
    n->used += !at->when;
    *at = *note;
    return 0;
}

void mp_notes_free(struct mp_notes *n)
{
    free(n->place);
    *n = (struct mp_notes){0};
}
