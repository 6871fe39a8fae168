/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "dpi/dpi.h"
#include "dpi/mempath_models.h"
#include "tlb/neighbour/directory.h"

struct directory {
    struct dpi_model model;
    struct mp_directory d;
};

static void print(const struct dpi_model *model, FILE *out)
{
    const struct mp_directory *d = &((const struct directory *)model)->d;
    for (uint32_t i = 0; i < d->count; i++)
        fprintf(out, "entry=%u tag=0x%" PRIx64 " left=%u local=%u right=%u\n", i, d->entry[i].tag,
                !!(d->entry[i].bits & MP_DIRECTORY_LEFT), !!(d->entry[i].bits & MP_DIRECTORY_LOCAL),
                !!(d->entry[i].bits & MP_DIRECTORY_RIGHT));
}

static void discard(struct dpi_model *model)
{
    mp_directory_free(&((struct directory *)model)->d);
    free(model);
}

static const struct dpi_kind kind = {"a directory", print, discard};

static struct mp_directory *find(void *handle, const char *where)
{
    struct directory *d = (struct directory *)dpi_find(handle, &kind, where);
    return d ? &d->d : NULL;
}

enum { ENTRIES, TAG_BITS };

static const struct dpi_parameter parameters[DPI_PARAMETERS + 1] = {
    [ENTRIES] = {"entries", DPI_NUMBER, 32, 1, MP_DIRECTORY_MOST, NULL},
    [TAG_BITS] = {"tag_bits", DPI_NUMBER, 18, MP_TAG_LEAST, MP_TAG_MOST, NULL},
};

void *mempath_directory_new(const char *text)
{
    static const struct mp_design none = {.name = "a directory"};
    struct dpi_values v;
    if (dpi_parse(text, parameters, &none, &v, dpi_error()))
        return NULL;
    struct directory *d = calloc(1, sizeof *d);
    if (!d || mp_directory_init(&d->d, (uint32_t)v.value[ENTRIES], (uint32_t)v.value[TAG_BITS])) {
        free(d);
        mp_fail(dpi_error(), "mempath_directory_new: out of memory; fewer entries are needed");
        return NULL;
    }
    d->model.kind = &kind;
    return dpi_open(&d->model);
}

/* Sets *tag; asid and vpn have the widths that a tag's are defined for. */
static int tag_of(const struct mp_directory *d, unsigned asid, uint64_t vpn, uint64_t *tag)
{
    if (asid > UINT16_MAX)
        return dpi_fail("asid: there is no %u; 0 to %u", asid, UINT16_MAX);
    *tag = mp_directory_tag(d->tag_bits, (uint16_t)asid, vpn);
    return 0;
}

int mempath_directory_ask(void *directory, unsigned asid, unsigned long long vpn)
{
    const struct mp_directory *d = find(directory, __func__);
    uint64_t tag;
    if (!d || tag_of(d, asid, vpn, &tag))
        return MEMPATH_ERROR;
    const struct mp_directory_entry *e = mp_directory_find(d, tag);
    return !e                             ? 0
           : e->bits & MP_DIRECTORY_LEFT  ? MEMPATH_LEFT
           : e->bits & MP_DIRECTORY_RIGHT ? MEMPATH_RIGHT
                                          : 0;
}

int mempath_directory_own(void *directory, unsigned inserted, unsigned asid, unsigned long long vpn)
{
    struct mp_directory *d = find(directory, __func__);
    uint64_t tag;
    if (!d || tag_of(d, asid, vpn, &tag))
        return MEMPATH_ERROR;
    mp_directory_set_local(d, tag, inserted);
    return 0;
}

int mempath_directory_message(void *directory, unsigned side, unsigned inserted, unsigned local,
                              unsigned asid, unsigned long long vpn)
{
    struct mp_directory *d = find(directory, __func__);
    uint64_t tag;
    if (!d || tag_of(d, asid, vpn, &tag))
        return MEMPATH_ERROR;
    if (side != MEMPATH_LEFT && side != MEMPATH_RIGHT)
        return dpi_fail("side: there is no %u; %d is left, %d right", side, MEMPATH_LEFT, MEMPATH_RIGHT);
    const enum mp_directory_bit bit = side == MEMPATH_LEFT ? MP_DIRECTORY_LEFT : MP_DIRECTORY_RIGHT;
    struct mp_directory_entry *e = mp_directory_find(d, tag);
    if (!inserted)
        mp_directory_clear(d, tag, bit);
    else if (e)
        e->bits |= bit;
    else
        mp_directory_allocate(d, tag, (uint8_t)(bit | (local ? MP_DIRECTORY_LOCAL : 0)));
    return 0;
}

int mempath_directory_drop(void *directory, unsigned asid, unsigned long long vpn)
{
    struct mp_directory *d = find(directory, __func__);
    uint64_t tag;
    if (!d || tag_of(d, asid, vpn, &tag))
        return MEMPATH_ERROR;
    mp_directory_drop(d, tag);
    return 0;
}

int mempath_directory_empty(void *directory)
{
    struct mp_directory *d = find(directory, __func__);
    if (!d)
        return MEMPATH_ERROR;
    mp_directory_empty(d);
    return 0;
}

int mempath_directory_entry(void *directory, unsigned number, unsigned long long *tag, unsigned *left,
                            unsigned *local, unsigned *right)
{
    const struct mp_directory *d = find(directory, __func__);
    if (!d)
        return MEMPATH_ERROR;
    if (number >= d->capacity)
        return dpi_fail("number: there is no %u; 0 to %u", number, d->capacity - 1);
    if (number >= d->count)
        return 0;
    DPI_OUTPUT(tag, d->entry[number].tag);
    DPI_OUTPUT(left, !!(d->entry[number].bits & MP_DIRECTORY_LEFT));
    DPI_OUTPUT(local, !!(d->entry[number].bits & MP_DIRECTORY_LOCAL));
    DPI_OUTPUT(right, !!(d->entry[number].bits & MP_DIRECTORY_RIGHT));
    return 1;
}
