/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/paper/mapping.h"

#include <stdlib.h>

#include "cli/cli.h"
#include "gpu/configure.h"
#include "vm/contiguity.h"

int mapping_read(struct mapping_buffers *b, const char *trace, const char *checked, struct mp_error *err)
{
    struct gwt_reader *reader;
    struct gwt_record record;
    *b = (struct mapping_buffers){0};
    if (gwt_open_known(&reader, trace, checked, err))
        return -1;
    int failed = gwt_next(reader, &record, err);
    while (!failed && record.kind != GWT_KERNEL && record.kind != GWT_END) {
        if (record.kind == GWT_ALLOC) {
            b->buffer = cli_have(realloc(b->buffer, (b->n + 1) * sizeof *b->buffer));
            b->buffer[b->n++] = (struct mapping_buffer){record.va, record.bytes};
        }
        failed = gwt_next(reader, &record, err);
    }
    gwt_close(reader);
    return failed;
}

void mapping_free(struct mapping_buffers *b)
{
    free(b->buffer);
    *b = (struct mapping_buffers){0};
}

static void end_region(struct mapping *m, uint64_t pages)
{
    uint64_t bin = (pages - 1) / MAPPING_BIN_PAGES;
    if (!pages)
        return;
    bin = bin < MAPPING_BINS ? bin : MAPPING_BINS - 1;
    m->bin[bin].regions++;
    m->bin[bin].pages += pages;
}

static int by_address(const void *a, const void *b)
{
    const struct mp_space_buffer *x = a, *y = b;
    return (x->va > y->va) - (x->va < y->va);
}

/* Regions end where the next page is not mapped, not where a buffer or a frame of 2 MB does. */
static void find_regions(struct mapping *m, struct mp_space *s)
{
    uint64_t next = 0, pages = 0, last = 0, pa;
    qsort(s->buffer, s->buffers, sizeof *s->buffer, by_address);
    for (uint32_t i = 0; i < s->buffers; i++) {
        uint64_t end = s->buffer[i].va + s->buffer[i].bytes;
        uint64_t page = s->buffer[i].va & ~(uint64_t)(MP_FRAME_BYTES - 1);
        for (page = page < next ? next : page; page < end; page += MP_FRAME_BYTES) {
            if (!mp_page_table_find(&s->table, page, &pa))
                continue;
            if (page != next || pa != last + MP_FRAME_BYTES) {
                end_region(m, pages);
                pages = 0;
            }
            pages++;
            last = pa;
            next = page + MP_FRAME_BYTES;
        }
    }
    end_region(m, pages);
}

static int map_all(struct mapping *m, struct mp_space *s, const struct mapping_buffers *b, uint64_t divisor,
                   struct mp_error *err)
{
    struct mp_contiguity c = {0};
    s->hook = mp_contiguity_hook(&c);
    for (unsigned i = 0; i < b->n; i++) {
        uint64_t bytes = b->buffer[i].bytes / divisor;
        if (mp_space_map(s, b->buffer[i].va, bytes ? bytes : 1, 0, err))
            return -1;
    }
    mp_contiguity_scan_space(&c, s);
    m->pages = c.pages;
    m->contiguous = c.contiguous_pages;
    find_regions(m, s);
    return 0;
}

/* The memory of the machine as the run of an application finds it (platform/gpu). */
static int with_memory(struct mapping *m, const struct mp_machine *machine, const struct mp_map *map,
                       struct mp_physmem *memory, const struct mapping_buffers *b, uint64_t divisor,
                       struct mp_error *err)
{
    struct mp_frames frames = {0};
    const struct mp_frames_params params = {.bytes = mp_machine_memory(machine, machine->slices),
                                            .page_bytes = machine->page_bytes,
                                            .hash = mp_map_hash(map),
                                            .own = machine->frames.own};
    if (mp_frames_init(&frames, machine->frames.allocator, &params, err))
        return -1;
    struct mp_space space;
    const struct mp_space_params space_params = {
        .format = mp_page_format(machine->page_bytes), .memory = memory, .frames = &frames};
    int failed = mp_space_init(&space, &space_params, err);
    if (!failed) {
        failed = map_all(m, &space, b, divisor, err);
        mp_space_free(&space);
    }
    mp_frames_free(&frames);
    return failed;
}

int mapping_measure(struct mapping *m, const struct mp_config *config, const struct mapping_buffers *b,
                    uint64_t divisor, struct mp_error *err)
{
    struct mp_machine *machine = cli_alloc(1, sizeof *machine);
    struct mp_physmem memory = {0};
    struct mp_map map;
    *m = (struct mapping){0};
    mp_machine_configure(machine, config);
    if (mp_map_init(&map, machine->map.kind, &machine->map.own) ||
        mp_physmem_init(&memory, mp_machine_memory(machine, machine->slices)))
        exit(cli_fail(CLI_FAILED, "out of memory"));
    int failed = with_memory(m, machine, &map, &memory, b, divisor, err);
    mp_physmem_free(&memory);
    mp_map_free(&map);
    free(machine);
    return failed;
}
