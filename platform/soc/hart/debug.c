/* SPDX-License-Identifier: Apache-2.0 */
/* A debugger's access to the hart: registers by number, breakpoints, watchpoints, traces. */
#include "soc/hart/parts.h"

/* The CSRs to which Unicorn gives access, by number. */
static const struct {
    uint16_t csr;
    int id;
} csrs[] = {
    {0x300, UC_RISCV_REG_MSTATUS},  {0x304, UC_RISCV_REG_MIE},     {0x305, UC_RISCV_REG_MTVEC},
    {0x340, UC_RISCV_REG_MSCRATCH}, {0x341, UC_RISCV_REG_MEPC},    {0x342, UC_RISCV_REG_MCAUSE},
    {0x343, UC_RISCV_REG_MTVAL},    {0xf14, UC_RISCV_REG_MHARTID},
};

static int id_of(unsigned number)
{
    if (number < MP_HART_PC)
        return UC_RISCV_REG_X0 + (int)number;
    for (unsigned i = 0; i < sizeof csrs / sizeof *csrs; i++)
        if (number == (unsigned)MP_HART_CSR + csrs[i].csr)
            return csrs[i].id;
    return -1;
}

bool mp_hart_read(struct mp_hart *h, unsigned number, uint64_t *value)
{
    if (number == MP_HART_PC) {
        *value = h->next;
        return true;
    }
    if (is_own_csr(number - MP_HART_CSR)) {
        *value = mp_hart_own_csr(h, number - MP_HART_CSR);
        return true;
    }
    int id = id_of(number);
    *value = id < 0 || !number ? 0 : get(h, id);
    return id >= 0;
}

bool mp_hart_write(struct mp_hart *h, unsigned number, uint64_t value)
{
    int id = id_of(number);
    if (number == MP_HART_PC)
        h->next = value & ~1ull;
    else if (id < 0)
        return false;
    else if (number)
        set(h, id, value);
    return true;
}

bool mp_hart_break(struct mp_hart *h, uint64_t address, bool wanted)
{
    unsigned i = 0;
    while (i < h->breakpoints && h->breakpoint[i] != address)
        i++;
    if (wanted && i == h->breakpoints) {
        if (i == MP_HART_BREAKPOINTS)
            return false;
        h->breakpoint[h->breakpoints++] = address;
        *special(h, address) = 1;
    } else if (!wanted && i < h->breakpoints) {
        h->breakpoint[i] = h->breakpoint[--h->breakpoints]; /* an unnecessary mark only costs a check */
    }
    return true;
}

bool mp_hart_watch(struct mp_hart *h, uint64_t address, uint64_t bytes, unsigned kind, bool wanted)
{
    unsigned i = 0;
    while (i < h->watchpoints && (h->watchpoint[i].address != address || h->watchpoint[i].bytes != bytes ||
                                  h->watchpoint[i].kind != kind))
        i++;
    if (wanted && i == h->watchpoints) {
        if (i == MP_HART_WATCHPOINTS)
            return false;
        h->watchpoint[h->watchpoints++] = (struct watchpoint){address, bytes, kind};
    } else if (!wanted && i < h->watchpoints) {
        h->watchpoint[i] = h->watchpoint[--h->watchpoints];
        h->watched = false;
    }
    return true;
}

uint64_t mp_hart_watched(const struct mp_hart *h, unsigned *kind)
{
    *kind = h->watched_kind;
    return h->watched_at;
}

uint64_t mp_hart_at(const struct mp_hart *h)
{
    return h->pc;
}

void mp_hart_trace(struct mp_hart *h, uint64_t first, uint64_t last, mp_hart_see *see, void *self)
{
    h->trace_first = first;
    h->trace_last = last;
    h->see = see;
    h->seer = self;
}
