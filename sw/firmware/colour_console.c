/* SPDX-License-Identifier: Apache-2.0 */
#include "colour_console.h"

#include <inttypes.h>
#include <stddef.h>

#include "clint.h"
#include "colour.h"
#include "gmmu.h"
#include "gpu.h"
#include "mig.h"
#include "print.h"

static struct colour_plan plan;

static void print_bits(const char *what, uint64_t function)
{
    print("%s", what);
    for (unsigned bit = 0; bit < 64; bit++)
        if (function >> bit & 1)
            print(" %u", bit);
    print("\n");
}

static void print_span(const char *what, const struct reverse_span *s)
{
    for (unsigned i = 0; i < s->n; i++)
        print_bits(what, s->function[i]);
}

static void print_colours(void)
{
    print("%u colours of 4 KB\n", colour_count());
}

static bool plan_is_made(void)
{
    if (!plan.tenants)
        print("no plan; `colour plan` makes one\n");
    return plan.tenants;
}

/* --- functions ------------------------------------------------------------------------------------ */

/* Frames that have been coloured would change their colours. */
static enum fw_error check_uncoloured(void)
{
    for (unsigned i = 0; i < MP_MGMT_INSTANCES; i++)
        if (mig_instance(i) && mig_instance(i)->frames.colours)
            return FW_EBUSY;
    return FW_OK;
}

enum fw_error colour_cmd_functions(unsigned n, const uint64_t *mask)
{
    enum fw_error e = check_uncoloured();
    if (!e)
        e = colour_set(mask, n);
    if (e)
        return e;
    plan.tenants = 0;
    print_colours();
    return FW_OK;
}

static void show_progress(void *unused, const char *step, uint32_t done, uint32_t all)
{
    static uint32_t last;
    (void)unused;
    if (done * 4 / all != last)
        print("%s: bit %u of %u\n", step, (unsigned)done, (unsigned)all);
    last = done * 4 / all;
}

enum fw_error colour_cmd_find(unsigned n, const uint64_t *l2_bytes)
{
    static struct reverse_found found;
    const char *step = NULL;
    uint64_t before = clint_now();
    (void)n;
    enum fw_error e = colour_find(*l2_bytes, &found, &step, show_progress);
    if (step)
        print("%s: not found\n", step);
    if (e)
        return e;
    plan.tenants = 0;
    print_span("bank", &found.bank);
    print_span("set", &found.set);
    print_span("module", &found.module);
    print("line %" PRIu32 "\nrow %" PRIu32 "\nways %" PRIu32 "\n", found.line_bytes, found.row_bytes,
          found.ways);
    print("%" PRIu64 " readings in %" PRIu64 " ms\n", found.readings,
          (clint_now() - before) / CLINT_TICKS_PER_MS);
    print_colours();
    return FW_OK;
}

/* --- tenants -------------------------------------------------------------------------------------- */

enum fw_error colour_cmd_plan(unsigned n, const uint64_t *share)
{
    enum fw_error e = colour_divide(share, n, &plan);
    uint64_t sum = 0;
    if (e == FW_ENOMEM)
        print("%u tenants, %u slices, %u colours: each tenant needs a slice and a colour\n", n, gpu_slices(),
              colour_count());
    if (e)
        return e;
    for (unsigned i = 0; i < n; i++)
        sum += share[i];
    print("instance   wanted   slices      SMs  colours  which\n");
    for (unsigned i = 0; i < n; i++) {
        const struct colour_share *s = &plan.of[i];
        print("%8u %6" PRIu64 " %% %8u %8u %8u  0x%" PRIx32 "\n", i, s->share * 100 / sum, s->slices,
              s->slices * gpu_sms(), s->colours, s->mask);
    }
    return FW_OK;
}

static enum fw_error move(uint64_t asid)
{
    const struct gmmu_space *s = gmmu_space(asid > UINT32_MAX ? UINT32_MAX : (unsigned)asid);
    if (!s)
        return FW_ENOENT;
    const uint64_t before = clint_now(), pages = s->moved, tables = s->tables_moved,
                   invalidations = s->invalidations;
    enum fw_error e = colour_move((unsigned)asid, &plan);
    print("space %" PRIu64 ": %" PRIu64 " pages and %" PRIu64 " tables moved, %" PRIu64
          " invalidations, %" PRIu64 " us\n",
          asid, s->moved - pages, s->tables_moved - tables, s->invalidations - invalidations,
          (clint_now() - before) * 1000 / CLINT_TICKS_PER_MS);
    return e;
}

enum fw_error colour_cmd_move(unsigned n, const uint64_t *space)
{
    (void)n;
    return plan_is_made() ? move(*space) : FW_ENOENT;
}

enum fw_error colour_cmd_pages(unsigned n, const uint64_t *unused)
{
    uint64_t pages[1u << FRAMES_FUNCTIONS];
    (void)n, (void)unused;
    print("space    pages of each colour\n");
    for (unsigned a = 0; a < MP_MGMT_SPACES; a++) {
        for (unsigned c = 0; c < colour_count(); c++)
            pages[c] = 0;
        if (!gmmu_space(a))
            continue;
        gmmu_count_colours(a, colour_frames(), pages);
        print("%5u", a);
        for (unsigned c = 0; c < colour_count(); c++)
            print(" %8" PRIu64, pages[c]);
        print("\n");
    }
    return FW_OK;
}

static void print_times(const char *when, const struct colour_times *t)
{
    const bool longer = t->together >= t->alone;
    const uint64_t difference = longer ? t->together - t->alone : t->alone - t->together,
                   tenths = t->alone ? difference * 1000 / t->alone : 0;
    print("%-7s %14" PRIu64 " %14" PRIu64 "      %s%" PRIu64 ".%" PRIu64 " %%\n", when, t->alone, t->together,
          longer ? "" : "-", tenths / 10, tenths % 10);
}

enum fw_error colour_cmd_isolation(unsigned n, const uint64_t *v)
{
    struct colour_times before, after;
    unsigned number[4];
    (void)n;
    if (!plan_is_made())
        return FW_ENOENT;
    for (unsigned i = 0; i < 4; i++)
        number[i] = v[i] > UINT32_MAX ? UINT32_MAX : (unsigned)v[i];
    enum fw_error e = colour_measure(number[0], number[1], number[2], number[3], &before);
    if (!e)
        e = move(number[0]);
    if (!e)
        e = move(number[2]);
    if (!e)
        e = colour_measure(number[0], number[1], number[2], number[3], &after);
    if (e)
        return e;
    print("colours  alone, cycles   next to it     longer\n");
    print_times("before", &before);
    print_times("after", &after);
    return FW_OK;
}
