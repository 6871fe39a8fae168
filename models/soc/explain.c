/* SPDX-License-Identifier: Apache-2.0 */
#include "soc/explain.h"

#include "soc/say.h"

enum { NULL_PAGE = 4096 }; /* an access so close to address 0 was made through a null pointer */

#define HEX(x) ((unsigned long long)(x))

/* --- registers ------------------------------------------------------------------------------------ */

/* Finds one register of a block; in an array, the register at or below the offset. */
struct place {
    const struct mp_reg *reg;
    unsigned index;
    uint64_t begin; /* offset */
};

static struct place place_of(const struct mp_reg *r, uint64_t offset)
{
    struct place p = {r, 0, r->offset};
    if (r->count > 1 && offset > r->offset) {
        uint64_t i = (offset - r->offset) / r->stride;
        p.index = (unsigned)(i < r->count ? i : r->count - 1);
        p.begin += (uint64_t)p.index * r->stride;
    }
    return p;
}

static uint64_t distance(const struct place *p, uint64_t offset)
{
    uint64_t last = p->begin + p->reg->width - 1;
    return offset < p->begin ? p->begin - offset : offset > last ? offset - last : 0;
}

static bool in_view(const struct mp_reg *r, bool dlab)
{
    return !(r->flags & (dlab ? MP_REG_DLAB_CLEAR : MP_REG_DLAB_SET));
}

static bool allows(const struct mp_reg *r, bool write)
{
    return r->access != (write ? MP_REG_RO : MP_REG_WO);
}

/* Finds the nearest register. Of several at the same offset, it prefers one that allows this direction, in
 * the view that DLAB selects. */
static struct place nearest(const struct mp_reg_block *b, const struct mp_soc_access *a, uint64_t offset)
{
    struct place best = place_of(&b->reg[0], offset);
    unsigned best_fit = 0;
    for (unsigned k = 0; k < b->regs; k++) {
        struct place p = place_of(&b->reg[k], offset);
        unsigned fit = 1 + in_view(p.reg, a->dlab) + allows(p.reg, a->kind == MP_SOC_STORE);
        uint64_t far = distance(&p, offset), nearer = distance(&best, offset);
        if (far > nearer || (far == nearer && fit <= best_fit))
            continue;
        best = p;
        best_fit = fit;
    }
    return best;
}

static void name(struct mp_text *t, const struct mp_reg_block *b, const struct place *p, bool with_block)
{
    mp_say(t, "%s%s%s", with_block ? b->name : "", with_block ? "." : "", p->reg->name);
    if (p->reg->count > 1)
        mp_say(t, "[%u]", p->index);
}

static void explain_register(struct mp_text *t, const struct mp_reg_block *b, const struct mp_soc_access *a)
{
    uint64_t base = b->window->base, offset = a->address - base;
    struct place p = nearest(b, a, offset);
    bool at_once = distance(&p, offset) == 0;
    mp_say(t,
           at_once && offset != p.begin ? "is inside "
           : at_once                    ? "is "
                                        : "is no register of %s; nearest is ",
           b->name);
    name(t, b, &p, at_once);
    if (!at_once)
        mp_say(t, " at 0x%llx", HEX(base + p.begin));
    else if (a->atomic)
        mp_say(t, ", and atomics are for memory alone");
    else if (offset != p.begin)
        mp_say(t, ", which has %u bytes at 0x%llx", p.reg->width, HEX(base + p.begin));
    else if (!allows(p.reg, a->kind == MP_SOC_STORE))
        mp_say(t, ", which is %s", p.reg->access == MP_REG_RO ? "read-only" : "write-only");
    else if (a->width != p.reg->width)
        mp_say(t, ", which is accessed with %u byte%s, not %u", p.reg->width, p.reg->width > 1 ? "s" : "",
               a->width);
}

/* --- windows -------------------------------------------------------------------------------------- */

static const struct mp_map_window *window_of(uint64_t address)
{
    for (unsigned i = 0; i < mp_soc_nmap; i++)
        if (address - mp_soc_map[i].base < mp_soc_map[i].bytes)
            return &mp_soc_map[i];
    return NULL;
}

static const struct mp_reg_block *block_of(const struct mp_map_window *w)
{
    for (unsigned i = 0; i < mp_soc_nblocks; i++)
        if (mp_soc_blocks[i].window == w)
            return &mp_soc_blocks[i];
    return NULL;
}

static void explain_nowhere(struct mp_text *t, uint64_t address)
{
    const struct mp_map_window *best = &mp_soc_map[0];
    uint64_t least = UINT64_MAX;
    if (address < NULL_PAGE || -address <= NULL_PAGE) {
        mp_say(t, address ? "is next to address 0: a null pointer and an offset?" : "is a null pointer");
        return;
    }
    for (unsigned i = 0; i < mp_soc_nmap; i++) {
        const struct mp_map_window *w = &mp_soc_map[i];
        uint64_t last = w->base + w->bytes - 1, far = address < w->base ? w->base - address : address - last;
        if (far < least) {
            least = far;
            best = w;
        }
    }
    mp_say(t, "is in no window of the address map; nearest is %s, 0x%llx to 0x%llx", best->name,
           HEX(best->base), HEX(best->base + best->bytes - 1));
}

static void explain_gpu_memory(struct mp_text *t, const struct mp_soc_access *a)
{
    if (a->address - MP_GPU_MEMORY_BASE >= a->gpu_memory)
        mp_say(t, "is beyond the memory of the GPU, which ends at 0x%llx",
               HEX(MP_GPU_MEMORY_BASE + a->gpu_memory));
    else if (a->atomic)
        mp_say(t, "is in the memory of the GPU, which has no atomics");
    else if (a->width && a->address % a->width)
        mp_say(t, "is in the memory of the GPU, where an access of %u bytes must be aligned", a->width);
    else
        mp_say(t, "is in the memory of the GPU");
}

void mp_soc_explain(const struct mp_soc_access *a, char *text, size_t size)
{
    const struct mp_map_window *w = window_of(a->address);
    const struct mp_reg_block *b = block_of(w);
    struct mp_text t = {text, size};
    mp_say(&t, "0x%llx ", HEX(a->address));
    if (!w)
        explain_nowhere(&t, a->address);
    else if (a->kind == MP_SOC_FETCH)
        mp_say(&t, "is in %s (%s), from where no code runs", w->name, w->text);
    else if (b)
        explain_register(&t, b, a);
    else if (w == &mp_soc_map[MP_WINDOW_GPU_MEMORY])
        explain_gpu_memory(&t, a);
    else if (a->address + a->width > w->base + w->bytes)
        mp_say(&t, "is at the end of %s, beyond which the access of %u bytes reaches", w->name, a->width);
    else if (w->kind == MP_MAP_ROM && a->kind == MP_SOC_STORE)
        mp_say(&t, "is in %s, which cannot be written", w->name);
    else
        mp_say(&t, "is in %s", w->name);
}
