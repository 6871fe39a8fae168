/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>

#include "dpi/dpi.h"
#include "dpi/mempath_models.h"
#include "vm/contiguity.h"
#include "vm/physmem.h"

/* The tables of the frame with virtual address 0, in a memory of the model. */
#define ROOT         0x1000u
#define UPPER        0x2000u
#define MIDDLE       0x3000u
#define LEAVES       0x4000u
#define MEMORY_BYTES 0x8000u
#define PAGES        512u
#define PAGE_BYTES   4096u

struct scan {
    struct dpi_model model;
    struct mp_physmem memory;
    struct mp_page_table table;
    uint64_t address; /* of the table's entry, as the caller wrote it */
};

static uint64_t leaf_at(const struct scan *s, unsigned page)
{
    return mp_leaf_address(s->table.format, s->table.heads_first, LEAVES, (uint64_t)page * PAGE_BYTES);
}

static uint64_t entry_of(const struct scan *s)
{
    return (mp_physmem_read64(&s->memory, MIDDLE) & ~MP_PTE_ADDRESS) | s->address;
}

static void print(const struct dpi_model *model, FILE *out)
{
    const struct scan *s = (const struct scan *)model;
    fprintf(out, "entry=0x%" PRIx64 "\n", entry_of(s));
    for (unsigned i = 0; i < PAGES; i++)
        fprintf(out, "page=%u leaf=0x%" PRIx64 "\n", i, mp_physmem_read64(&s->memory, leaf_at(s, i)));
}

static void discard(struct dpi_model *model)
{
    mp_physmem_free(&((struct scan *)model)->memory);
    free(model);
}

static const struct dpi_kind kind = {"a scan", print, discard};

static struct scan *find(void *handle, const char *where)
{
    return (struct scan *)dpi_find(handle, &kind, where);
}

static const struct dpi_parameter parameters[DPI_PARAMETERS + 1] = {
    {"leaves", DPI_WORD, 0, 0, 1, "in-order|heads-first"},
};

void *mempath_scan_new(const char *text)
{
    static const struct mp_design none = {.name = "a scan"};
    struct dpi_values v;
    if (dpi_parse(text, parameters, &none, &v, dpi_error()))
        return NULL;
    struct scan *s = calloc(1, sizeof *s);
    if (!s || mp_physmem_init(&s->memory, MEMORY_BYTES) ||
        mp_physmem_write64(&s->memory, ROOT, UPPER | MP_PTE_VALID) ||
        mp_physmem_write64(&s->memory, UPPER, MIDDLE | MP_PTE_VALID) ||
        mp_physmem_write64(&s->memory, MIDDLE, LEAVES | MP_PTE_VALID) ||
        mp_physmem_write64(&s->memory, LEAVES, 0)) {
        if (s)
            mp_physmem_free(&s->memory);
        free(s);
        mp_fail(dpi_error(), "mempath_scan_new: out of memory; more memory is needed");
        return NULL;
    }
    s->model.kind = &kind;
    s->table = (struct mp_page_table){.format = mp_page_format(PAGE_BYTES),
                                      .memory = &s->memory,
                                      .root = ROOT,
                                      .heads_first = v.value[0] != 0};
    return dpi_open(&s->model);
}

/* Writes cannot fail: all tables are inside. */
int mempath_scan_entry(void *scan, unsigned long long entry)
{
    struct scan *s = find(scan, __func__);
    if (!s)
        return MEMPATH_ERROR;
    s->address = entry & MP_PTE_ADDRESS;
    mp_physmem_write64(&s->memory, MIDDLE, (entry & ~MP_PTE_ADDRESS) | LEAVES);
    return 0;
}

int mempath_scan_leaf(void *scan, unsigned page, unsigned long long leaf)
{
    struct scan *s = find(scan, __func__);
    if (!s)
        return MEMPATH_ERROR;
    if (page >= PAGES)
        return dpi_fail("page: there is no %u; 0 to %u", page, PAGES - 1);
    mp_physmem_write64(&s->memory, leaf_at(s, page), leaf);
    return 0;
}

int mempath_scan_frame(void *scan, unsigned long long *entry, unsigned *reads)
{
    struct scan *s = find(scan, __func__);
    struct mp_contiguity c = {0};
    if (!s)
        return MEMPATH_ERROR;
    const bool changed = mp_contiguity_scan_frame(&c, &s->table, 0);
    DPI_OUTPUT(entry, entry_of(s));
    DPI_OUTPUT(reads, (unsigned)c.read);
    return changed;
}
