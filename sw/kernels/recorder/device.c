/* SPDX-License-Identifier: Apache-2.0 */
#include "launch.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_GROUP   1024u        /* work-items, as on every GPU of the last decade */
#define LARGEST_PRIVATE (512u << 10) /* bytes per work-item, as in CUDA */
#define LARGEST_LOCAL   (16u << 20)

static struct device *recording; /* its partial trace is removed when the program fails */

void record_fail(const char *what, const char *format, ...)
{
    if (recording) {
        progress_end(&recording->progress);
        gwt_writer_abandon(recording->writer);
    }
    fprintf(stderr, "mempath: record: %s: ", what);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

int device_open(struct device **out, const char *what, const struct record_module *module, const char *path,
                enum progress progress, struct mp_error *err)
{
    if (module->version != RECORD_VERSION)
        return mp_fail(err, "%s: kernels compiled for recorder version %u; this is version %u", what,
                       module->version, RECORD_VERSION);
    struct device *d = calloc(1, sizeof *d);
    if (!d || !arena_open(&d->arena)) {
        free(d);
        return mp_fail(err, "%s: no address space for device memory; at least 1 GB is needed", what);
    }
    if (gwt_writer_open(&d->writer, path, err)) {
        arena_close(&d->arena);
        free(d);
        return -1;
    }
    d->what = what;
    d->module = module;
    d->progress.mode = progress;
    d->rules = RECORD_RULES;
    d->warp_lanes = GWT_WARP_LANES;
    recording = d;
    *out = d;
    return 0;
}

void device_rules(struct device *d, const struct record_rules *rules)
{
    d->rules = *rules;
}

void device_warp_lanes(struct device *d, unsigned lanes)
{
    d->warp_lanes = lanes;
    gwt_write_warp_lanes(d->writer, lanes);
}

void device_variables(struct device *d)
{
    for (uint32_t i = 0; i < d->module->nvariables; i++) {
        const struct record_variable *v = &d->module->variables[i];
        *v->address = device_alloc(d, v->bytes);
        memcpy(*v->address, v->initial, v->bytes);
        device_wrote(d, *v->address, v->bytes);
    }
}

void *device_variable(struct device *d, const char *name, size_t length, uint64_t *bytes)
{
    for (uint32_t i = 0; i < d->module->nvariables; i++) {
        const struct record_variable *v = &d->module->variables[i];
        *bytes = v->bytes;
        if (strlen(v->name) == length && !memcmp(v->name, name, length))
            return *v->address;
    }
    return NULL;
}

void device_shared(struct device *d, size_t bytes)
{
    d->shared = bytes;
}

static void dispose(struct device *d)
{
    arena_close(&d->arena);
    free(d);
    recording = NULL;
}

int device_close(struct device *d, struct mp_error *err)
{
    const int result = gwt_writer_close(d->writer, err);
    dispose(d);
    return result;
}

void device_abandon(struct device *d)
{
    gwt_writer_abandon(d->writer);
    dispose(d);
}

const struct record_counts *device_counts(const struct device *d)
{
    return &d->counts;
}

static struct buffer *take(struct device *d, size_t bytes)
{
    struct buffer *b = arena_alloc(&d->arena, bytes);
    if (!b) {
        record_fail(d->what, "out of device memory");
    }
    return b;
}

void *device_alloc(struct device *d, size_t bytes)
{
    const struct buffer *b = take(d, bytes);
    gwt_write_alloc(d->writer, b->id, b->begin, bytes);
    return arena_host(&d->arena, b->begin);
}

void *device_reserve(struct device *d, size_t bytes)
{
    struct buffer *b = take(d, bytes);
    b->reserved = true;
    return arena_host(&d->arena, b->begin);
}

/* Returns the buffer that contains the range. Ends the program if none does: the host driver is wrong. */
static struct buffer *holding(struct device *d, const void *pointer, size_t bytes)
{
    const uint64_t va = arena_va(&d->arena, pointer);
    struct buffer *b = arena_find(&d->arena, va);
    if (!b || bytes > b->end - va) {
        record_fail(d->what, "the host names memory outside of the device's buffers");
    }
    return b;
}

void device_free(struct device *d, void *pointer)
{
    if (!pointer)
        return;
    struct buffer *b = holding(d, pointer, 0);
    if (!b->reserved)
        gwt_write_free(d->writer, b->id);
    arena_free(&d->arena, b);
}

void device_map(struct device *d, const void *pointer, size_t bytes)
{
    holding(d, pointer, bytes);
    gwt_write_mapping(d->writer, GWT_MAP, arena_va(&d->arena, pointer), bytes);
}

void device_unmap(struct device *d, const void *pointer, size_t bytes)
{
    holding(d, pointer, bytes);
    gwt_write_mapping(d->writer, GWT_UNMAP, arena_va(&d->arena, pointer), bytes);
}

void device_wrote(struct device *d, const void *pointer, size_t bytes)
{
    holding(d, pointer, bytes);
    gwt_write_host(d->writer, GWT_HOST_WRITE, arena_va(&d->arena, pointer), bytes);
}

void device_read(struct device *d, const void *pointer, size_t bytes)
{
    holding(d, pointer, bytes);
    gwt_write_host(d->writer, GWT_HOST_READ, arena_va(&d->arena, pointer), bytes);
}

const struct record_kernel *device_kernel(const struct device *d, const char *name)
{
    for (uint32_t i = 0; i < d->module->nkernels; i++)
        if (!strcmp(d->module->kernels[i].name, name))
            return &d->module->kernels[i];
    return NULL;
}

static int check_sizes(const struct record_kernel *k, unsigned dims, const size_t *global,
                       const size_t *local, struct mp_error *err)
{
    uint64_t items = 1;
    for (unsigned i = 0; i < dims; i++) {
        if (!local[i] || !global[i] || global[i] % local[i] || global[i] / local[i] > UINT32_MAX)
            return mp_fail(
                err,
                "%s: global size %zu with local size %zu in dimension %u; the global size must be a "
                "multiple of the local size",
                k->name, global[i], local[i], i);
        items = local[i] > LARGEST_GROUP ? UINT64_MAX / LARGEST_GROUP : items * local[i];
        if (items > LARGEST_GROUP)
            return mp_fail(err, "%s: a work-group of more than %u work-items; at most %u", k->name,
                           LARGEST_GROUP, LARGEST_GROUP);
    }
    for (unsigned i = 0; i < 3 && k->group[0]; i++)
        if (k->group[i] != (i < dims ? local[i] : 1))
            return mp_fail(err, "%s: local size %zu in dimension %u; its reqd_work_group_size is %u,%u,%u",
                           k->name, i < dims ? local[i] : 1, i, k->group[0], k->group[1], k->group[2]);
    return 0;
}

int device_check(const struct device *d, const char *kernel, unsigned dims, const size_t *global,
                 const size_t *local, unsigned nargs, struct mp_error *err)
{
    const struct record_kernel *k = device_kernel(d, kernel);
    if (!k) {
        int n = snprintf(err->text, sizeof err->text, "%s: no such kernel; there are", kernel);
        for (uint32_t i = 0; i < d->module->nkernels && n < (int)sizeof err->text; i++)
            n += snprintf(err->text + n, sizeof err->text - (size_t)n, " %s", d->module->kernels[i].name);
        return -1;
    }
    if (dims < 1 || dims > 3)
        return mp_fail(err, "%s: %u dimensions; 1 to 3", kernel, dims);
    if (nargs != k->narguments)
        return mp_fail(err, "%s: %u arguments given; it takes %u", kernel, nargs, k->narguments);
    if (k->private_bytes > LARGEST_PRIVATE)
        return mp_fail(err, "%s: its private arrays take %u bytes per work-item; at most %u", kernel,
                       k->private_bytes, LARGEST_PRIVATE);
    if (k->local_bytes > LARGEST_LOCAL)
        return mp_fail(err, "%s: its __local variables take %u bytes; at most %u", kernel, k->local_bytes,
                       LARGEST_LOCAL);
    return check_sizes(k, dims, global, local, err);
}
