/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of pages that tenants ask for. */
#include <stdlib.h>
#include <string.h>

#include "config/internal.h"
#include "engine/number.h"
#include "gpu/machine.h"
#include "tlb/neighbour/neighbour.h"
#include "vm/frames/allocator.h"
#include "vm/tables/design.h"

#define LONGEST_ITEM 40u

/* Reads "SIZE" or "BUFFER=SIZE". Returns NULL, or what is wrong. */
static const char *read_item(const char *item, struct mp_page_choice *c, bool *usual)
{
    const char *equals = strchr(item, '='), *size = equals ? equals + 1 : item, *wrong;
    struct mp_page_buffer b = {0};
    if (equals && mp_number(item, (size_t)(equals - item), 0, UINT32_MAX, &b.number))
        return "has no buffer's number before '='";
    if (strcmp(size, "auto") != 0 &&
        ((wrong = mp_read_number(size, true, 1, UINT64_MAX, &b.page_bytes)) != NULL))
        return wrong;
    if (b.page_bytes & (b.page_bytes - 1))
        return "has a size that is not a power of two";
    if (!equals) {
        c->usual = b.page_bytes;
        wrong = *usual ? "has two sizes for all other buffers" : NULL;
        *usual = true;
        return wrong;
    }
    if (c->count == MP_PAGE_BUFFERS)
        return "names more than 16 buffers";
    c->buffer[c->count++] = b;
    return NULL;
}

/* Reads a whole value into the sizes of single buffers and of all others. */
static const char *read_pages(const char *text, struct mp_page_choice *c, bool *usual)
{
    char item[LONGEST_ITEM];
    *usual = false;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof item)
            return "is not a size";
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        const char *wrong = read_item(item, c, usual);
        at += length;
        if (wrong || !*at)
            return wrong;
    }
}

static void put_size(FILE *f, uint64_t bytes)
{
    if (bytes)
        fprintf(f, "%ju", (uintmax_t)bytes);
    else
        fputs("auto", f);
}

/* The text is kept in one form, so that equal values have equal texts. */
static char *text_of(const struct mp_page_choice *c, bool usual)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    if (usual)
        put_size(f, c->usual);
    for (uint32_t i = 0; i < c->count; i++) {
        fprintf(f, "%s%ju=", i || usual ? "," : "", (uintmax_t)c->buffer[i].number);
        put_size(f, c->buffer[i].page_bytes);
    }
    fclose(f);
    return text;
}

int mp_set_pages(char **string, const char *what, const char *text, struct mp_origin origin,
                 struct mp_error *err)
{
    struct mp_page_choice c = {0};
    bool usual;
    const char *wrong = *text ? read_pages(text, &c, &usual) : NULL;
    if (wrong)
        return mp_fail_at(err, &origin,
                          "%s = '%.60s' %s; a size such as 64 KiB, auto, or sizes of single buffers, too: "
                          "64 KiB,0=2 MiB",
                          what, text, wrong);
    char *one = *text ? text_of(&c, usual) : NULL;
    if (*text && !one)
        return mp_fail_at(err, &origin, "out of memory; a smaller file is needed");
    free(*string);
    *string = one;
    return 0;
}

/* L1 TLBs that ask each other, or count whether others have a page, know pages of one size. */
static bool has_one_size(const struct mp_config *c)
{
    struct mp_design_values values;
    return mp_config_neighbours(c, &values)->peers != MP_PEERS_NONE || c->stats.sharing;
}

static uint64_t all_sizes(const struct mp_config *c)
{
    const bool own = mp_config_is(c, "vm.format", "mempath"); /* of which a table may have one size or all */
    const struct mp_page_format *f =
        own ? &mp_page_format_mixed
            : mp_page_format_find(mp_config_word(c, "vm.format"), c->machine.page_bytes);
    return f ? f->pages & ~(c->machine.page_bytes - 1) : c->machine.page_bytes;
}

uint64_t mp_config_page_sizes(const struct mp_config *c)
{
    return has_one_size(c) ? c->machine.page_bytes : all_sizes(c);
}

struct mp_page_choice mp_config_pages(const struct mp_config *c, unsigned tenant)
{
    struct mp_page_choice p = {0};
    bool usual = false;
    if (c->tenant[tenant].page_bytes)
        read_pages(c->tenant[tenant].page_bytes, &p, &usual);
    if (!usual)
        p.usual = c->machine.page_bytes;
    p.sizes = p.usual ? p.usual : all_sizes(c);
    for (uint32_t i = 0; i < p.count; i++)
        p.sizes |= p.buffer[i].page_bytes ? p.buffer[i].page_bytes : all_sizes(c);
    return p;
}

bool mp_config_mixes_pages(const struct mp_config *c)
{
    bool mixes = false;
    for (unsigned i = 0; i < c->ntenants; i++)
        mixes |= mp_config_pages(c, i).sizes != c->machine.page_bytes;
    return mixes;
}

/* "4096, 65536 or 2097152" */
static void list_sizes(char *text, size_t size, uint64_t sizes)
{
    for (unsigned n = 0; sizes; sizes &= sizes - 1) {
        const char *before = !n ? "" : sizes & (sizes - 1) ? ", " : " or ";
        n += (unsigned)snprintf(text + n, size - n, "%s%ju", before, (uintmax_t)(sizes & -sizes));
    }
}

/* What knows pages of one size only. */
static int check_others(const struct mp_settings *s, unsigned i, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    const struct mp_origin *origin = &s->tenant[i][MP_TENANT_PAGES];
    const struct mp_frame_allocator *a = mp_frame_allocator_find(mp_config_word(c, "vm.frames"));
    uintmax_t one = c->machine.page_bytes;
    if (!a->larger)
        return mp_fail_at(err, origin,
                          "tenants.%u.page_bytes = %s with vm.frames = %s, which has one size; %ju", i,
                          c->tenant[i].page_bytes, a->design.name, one);
    if (!mp_page_table_design_find(mp_config_word(c, "vm.table"))->tree)
        return mp_fail_at(err, origin,
                          "tenants.%u.page_bytes = %s with vm.table = %s, which has one size; %ju", i,
                          c->tenant[i].page_bytes, mp_config_word(c, "vm.table"), one);
    if (has_one_size(c))
        return mp_fail_at(
            err, origin, "tenants.%u.page_bytes = %s with %s, for which pages have one size; %ju", i,
            c->tenant[i].page_bytes, c->stats.sharing ? "stats.sharing = true" : "neighbours.policy", one);
    return 0;
}

int mp_tenant_check_pages(const struct mp_settings *s, unsigned i, struct mp_error *err)
{
    const struct mp_config *c = s->config;
    const uint64_t there = all_sizes(c), asked = mp_config_pages(c, i).sizes;
    char allowed[100] = "";
    list_sizes(allowed, sizeof allowed, there);
    if (asked & ~there)
        return mp_fail_at(err, &s->tenant[i][MP_TENANT_PAGES],
                          "tenants.%u.page_bytes = %s: no pages of %ju B; with machine.page_bytes = %ju, "
                          "which is the least, %s or auto",
                          i, c->tenant[i].page_bytes, (uintmax_t)(asked & ~there & -(asked & ~there)),
                          (uintmax_t)c->machine.page_bytes, allowed);
    return asked == c->machine.page_bytes ? 0 : check_others(s, i, err);
}
