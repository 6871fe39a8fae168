/* SPDX-License-Identifier: Apache-2.0 */
#include "uvm_console.h"

#include <inttypes.h>

#include "gmem.h"
#include "gmmu.h"
#include "gpu.h"
#include "print.h"
#include "uvm.h"

/* Keeps an out-of-range value out of range when it is stored in a narrower type. */
static unsigned small(uint64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (unsigned)value;
}

enum fw_error uvm_cmd_pool(unsigned n, const uint64_t *number)
{
    const struct uvm_setup setup = {.chunks = small(number[1]),
                                    .page_bytes = n > 2 ? number[2] : 65536,
                                    .prefetch = n > 3 ? small(number[3]) : 0,
                                    .evict = n > 4 ? small(number[4]) : 0,
                                    .migrate = n > 5 ? small(number[5]) : 0,
                                    .counter = n > 6 ? small(number[6]) : 0,
                                    .granule_bytes = n > 7 ? small(number[7]) : 0};
    return uvm_pool(small(number[0]), &setup);
}

/* The setup of a pool, to begin it again with a part of it changed. */
static enum fw_error get_setup(uint64_t instance, struct uvm_setup *s)
{
    const struct uvm_setup *now = uvm_setup_of(small(instance));
    if (!now)
        return FW_ENOENT;
    *s = *now;
    return FW_OK;
}

/* What is left out is the driver's. */
enum fw_error uvm_cmd_thrashing(unsigned n, const uint64_t *number)
{
    struct uvm_setup s;
    struct uvm_thrashing *t = &s.thrashing;
    const enum fw_error e = n > 8 && number[8] > 1 ? FW_EINVAL : get_setup(number[0], &s);
    if (e)
        return e;
    *t = UVM_THRASHING_USUAL;
    t->events = small(number[1]);
    t->throttles = n > 2 ? small(number[2]) : t->throttles;
    t->lapse = n > 3 ? number[3] : t->lapse;
    t->nap = n > 4 ? small(number[4]) : t->nap;
    t->epoch = n > 5 ? small(number[5]) : t->epoch;
    t->pin = n > 6 ? small(number[6]) : t->pin;
    t->resets = n > 7 ? small(number[7]) : t->resets;
    t->coherent = n > 8 && number[8];
    return uvm_pool(small(number[0]), &s);
}

enum fw_error uvm_cmd_replay(unsigned n, const uint64_t *number)
{
    struct uvm_setup s;
    const enum fw_error e = get_setup(number[0], &s);
    (void)n;
    if (e)
        return e;
    s.replay = small(number[1]);
    return uvm_pool(small(number[0]), &s);
}

enum fw_error uvm_cmd_early(unsigned n, const uint64_t *number)
{
    struct uvm_setup s;
    const enum fw_error e = n > 2 && number[2] > 1 ? FW_EINVAL : get_setup(number[0], &s);
    if (e)
        return e;
    s.ahead = small(number[1]);
    s.overlaps = n > 2 && number[2];
    return uvm_pool(small(number[0]), &s);
}

enum fw_error uvm_cmd_managed(unsigned n, const uint64_t *number)
{
    return n > 3 && number[3] > 1 ? FW_EINVAL
                                  : uvm_manage(small(number[0]), number[1], number[2], n > 3 && number[3]);
}

/* All pages of which a buffer has a part. */
enum fw_error uvm_cmd_buffers(unsigned n, const uint64_t *number)
{
    const struct gmmu_space *s = gmmu_space(small(number[0]));
    struct mp_mgmt_memory b;
    enum fw_error e = s ? FW_OK : FW_ENOENT;
    (void)n;
    for (unsigned i = 0; !e && gpu_buffer(small(number[1]), i, &b); i++) {
        const uint64_t page = 1ull << s->format->page_shift, va = b.base & -page;
        e = uvm_manage(s->asid, va, ((b.base + b.bytes + page - 1) & -page) - va, false);
    }
    return e;
}

enum fw_error uvm_cmd_end(unsigned n, const uint64_t *number)
{
    (void)n;
    return uvm_unmanage(small(number[0]), number[1]);
}

/* The bus address, for peek and poke. */
enum fw_error uvm_cmd_host(unsigned n, const uint64_t *number)
{
    const enum fw_error e = uvm_host(small(number[0]), number[1], number[2]);
    (void)n;
    if (!e)
        print("0x%" PRIx64 "\n", gmem_address(uvm_host_address(small(number[0]), number[1])));
    return e;
}

enum fw_error uvm_cmd_designs(unsigned n, const uint64_t *number)
{
    const char *name;
    (void)n, (void)number;
    for (unsigned i = 0; (name = uvm_prefetch_name(i)); i++)
        print("prefetch %u %s\n", i, name);
    for (unsigned i = 0; (name = uvm_evict_name(i)); i++)
        print("evict    %u %s\n", i, name);
    for (unsigned i = 0; (name = uvm_migrate_name(i)); i++)
        print("migrate  %u %s\n", i, name);
    for (unsigned i = 0; (name = uvm_replay_name(i)); i++)
        print("replay   %u %s\n", i, name);
    return FW_OK;
}

enum fw_error uvm_cmd_trace(unsigned n, const uint64_t *number)
{
    (void)n, (void)number;
    uvm_trace();
    return FW_OK;
}

enum fw_error uvm_cmd_tree(unsigned n, const uint64_t *number)
{
    (void)n;
    return uvm_print_tree(small(number[0]), number[1]);
}

enum fw_error uvm_cmd_state(unsigned n, const uint64_t *number)
{
    (void)n, (void)number;
    uvm_print();
    return FW_OK;
}
