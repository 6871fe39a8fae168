/* SPDX-License-Identifier: Apache-2.0 */
#include "map/colours.h"

#include <inttypes.h>

/* Whether all bytes of a page agree in the function. */
static int is_of_pages(uint64_t function, uint64_t page_bytes)
{
    return !(function & (page_bytes - 1));
}

uint32_t mp_colours_most(const struct mp_gf2 *machine, uint64_t page_bytes)
{
    uint32_t most = 1;
    for (unsigned i = 0; i < machine->modules; i++)
        most <<= is_of_pages(machine->module[i], page_bytes);
    return most;
}

int mp_colours_init(struct mp_colours *c, const struct mp_gf2 *machine, uint64_t page_bytes, uint32_t colours,
                    struct mp_error *err)
{
    uint32_t most = mp_colours_most(machine, page_bytes);
    *c = (struct mp_colours){.colours = colours ? colours : most};
    if (c->colours > most || (c->colours & (c->colours - 1)))
        return mp_fail(
            err, "colours: pages of %" PRIu64 " B cannot have %" PRIu32 "; a power of two from 1 to %" PRIu32,
            page_bytes, colours, most);
    for (unsigned i = 0; 1u << c->functions < c->colours; i++)
        if (is_of_pages(machine->module[i], page_bytes))
            c->function[c->functions++] = machine->module[i];
    return 0;
}

uint64_t mp_colours_in_frame(const struct mp_colours *c, uint64_t base, uint32_t colour, uint64_t offset)
{
    /* In a group of pages, which ends where the lowest bit of the last function changes, each colour has as
     * many pages as any other. */
    uint64_t group_bytes = MP_COLOURS_PAGE;
    for (unsigned i = 0; i < c->functions; i++) {
        uint64_t lowest = c->function[i] & -c->function[i];
        group_bytes = 2 * lowest > group_bytes ? 2 * lowest : group_bytes;
    }
    uint64_t page = offset / MP_COLOURS_PAGE, share = group_bytes / MP_COLOURS_PAGE / c->colours;
    uint64_t pa = base + page / share * group_bytes;
    for (uint64_t before = page % share;; pa += MP_COLOURS_PAGE)
        if (mp_colour_of(c, pa) == colour && !before--)
            return pa + offset % MP_COLOURS_PAGE;
}
