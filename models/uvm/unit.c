/* SPDX-License-Identifier: Apache-2.0 */
/* A service of a block with a unit of hardware that finds the nodes of the tree. */
#include "uvm/tree.h"

/* A row of a set of pages; it may cross words. */
static uint64_t row_of(const struct mp_uvm_mask *m, uint32_t page)
{
    const uint32_t word = page / 64, bit = page % 64;
    uint64_t row = m->w[word] >> bit;
    if (bit + MP_UVM_UNIT_ROW > 64 && word + 1 < MP_UVM_WORDS)
        row |= m->w[word + 1] << (64 - bit);
    return row & ((UINT64_C(1) << MP_UVM_UNIT_ROW) - 1);
}

static void load(const struct mp_uvm_look *b, uint32_t base, mp_uvm_unit *unit, void *self)
{
    for (uint32_t p = 0; base + p < b->end; p += MP_UVM_UNIT_ROW) {
        const struct mp_uvm_unit_request request = {
            .op = MP_UVM_UNIT_LOAD, .page = p, .marks = row_of(b->there, base + p)};
        if (request.marks)
            unit(self, &request);
    }
}

/* The part that has the page is a row of the unit, if it has more than one page; of a block without a whole
 * big page it is all rows. */
static void mark(const struct mp_uvm_look *b, uint32_t base, uint32_t page, mp_uvm_unit *unit, void *self)
{
    const struct mp_uvm_pages part = mp_uvm_tree_part(b, page);
    struct mp_uvm_unit_request request = {.op = MP_UVM_UNIT_MARK, .page = page - base};
    if (b->big < MP_UVM_UNIT_ROW || mp_uvm_any_in(b->thrashing, part.first, part.end)) {
        unit(self, &request);
        return;
    }
    request.grow = true;
    for (request.page = part.first - base; request.page < part.end - base;
         request.page = request.page / MP_UVM_UNIT_ROW * MP_UVM_UNIT_ROW + MP_UVM_UNIT_ROW)
        unit(self, &request);
}

void mp_uvm_unit_pages(const struct mp_uvm_look *b, mp_uvm_unit *unit, void *self, struct mp_uvm_mask *out)
{
    if (b->in_a_row < b->min_faults)
        return;
    const uint32_t base = mp_uvm_tree_base(b);
    const struct mp_uvm_unit_request begin = {.op = MP_UVM_UNIT_BEGIN,
                                              .page = b->end - 1 - base,
                                              .first = b->first - base,
                                              .threshold = b->threshold};
    unit(self, &begin);
    load(b, base, unit, self);
    MP_UVM_EACH_PAGE (p, b->faulted)
        mark(b, base, p, unit, self);
    MP_UVM_EACH_PAGE (p, b->faulted)
        if (!mp_uvm_has(b->thrashing, p)) {
            const struct mp_uvm_unit_request query = {.op = MP_UVM_UNIT_QUERY, .page = p - base};
            const struct mp_uvm_pages region = unit(self, &query);
            mp_uvm_add_all(out, base + region.first, base + region.end);
        }
}
