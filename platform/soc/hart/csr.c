/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CSRs of a hart with M-mode only (The RISC-V Instruction Set Manual, Volume II, sections 2.2 and 3.1).
 * Fields that M-mode alone does not need, event counters and PMP's entries are read-only zero, as the
 * specification allows. cycle and instret are the number of instructions begun, and writes to mcycle and
 * minstret have no effect.
 */
#include "soc/hart/parts.h"

enum {
    CSR_MSTATUS = 0x300,
    CSR_MISA = 0x301,
    CSR_MIE = 0x304,
    CSR_MTVEC = 0x305,
    CSR_MCOUNTINHIBIT = 0x320,
    CSR_MSCRATCH = 0x340,
    CSR_MEPC = 0x341,
    CSR_MCAUSE = 0x342,
    CSR_MTVAL = 0x343,
    CSR_MIP = 0x344,
    CSR_MCYCLE = 0xb00,
    CSR_MINSTRET = 0xb02,
    CSR_CYCLE = 0xc00,
    CSR_TIME = 0xc01,
    CSR_INSTRET = 0xc02
};

/* CSRs that are zero and ignore writes. */
static const struct {
    uint16_t first, last;
} zeros[] = {
    {CSR_MCOUNTINHIBIT, CSR_MCOUNTINHIBIT},
    {0x323, 0x33f}, /* mhpmevent3 to 31 */
    {0x3a0, 0x3ef}, /* pmpcfg and pmpaddr */
    {0xb03, 0xb1f}, /* mhpmcounter3 to 31 */
    {0xc03, 0xc1f}, /* hpmcounter3 to 31 */
    {0xf11, 0xf15}, /* mvendorid, marchid, mimpid, mhartid, mconfigptr */
};

static bool is_zero(unsigned csr)
{
    if (csr >= 0x3a0 && csr < 0x3b0 && csr % 2) /* the odd pmpcfg are those of RV32 */
        return false;
    for (unsigned i = 0; i < sizeof zeros / sizeof *zeros; i++)
        if (csr >= zeros[i].first && csr <= zeros[i].last)
            return true;
    return false;
}

bool mp_hart_read_csr(const struct mp_hart *h, unsigned csr, uint64_t *value)
{
    switch (csr) {
    case CSR_MSTATUS:
        *value = h->mstatus;
        return true;
    case CSR_MISA: /* RV64IMAC */
        *value = 2ull << 62 | 1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A') | 1 << ('C' - 'A');
        return true;
    case CSR_MIE:
        *value = h->mie;
        return true;
    case CSR_MTVEC:
        *value = h->mtvec;
        return true;
    case CSR_MSCRATCH:
        *value = h->mscratch;
        return true;
    case CSR_MEPC:
        *value = h->mepc;
        return true;
    case CSR_MCAUSE:
        *value = h->mcause;
        return true;
    case CSR_MTVAL:
        *value = h->mtval;
        return true;
    case CSR_MIP:
        *value = h->pending;
        return true;
    case CSR_MCYCLE:
    case CSR_MINSTRET:
    case CSR_CYCLE:
    case CSR_INSTRET:
        *value = h->counts.instructions;
        return true;
    case CSR_TIME:
        *value = h->bus.time ? h->bus.time(h->bus.self) : 0;
        return true;
    default:
        *value = 0;
        return is_zero(csr);
    }
}

bool mp_hart_write_csr(struct mp_hart *h, unsigned csr, uint64_t value)
{
    const uint64_t interrupts = 1u << MP_IRQ_SOFTWARE | 1u << MP_IRQ_TIMER | 1u << MP_IRQ_EXTERNAL;
    switch (csr) {
    case CSR_MSTATUS:
        h->mstatus = (value & (MSTATUS_MIE | MSTATUS_MPIE)) | MSTATUS_MPP_M;
        return true;
    case CSR_MIE:
        h->mie = value & interrupts;
        return true;
    case CSR_MTVEC: /* direct or vectored */
        h->mtvec = value & ~2ull;
        return true;
    case CSR_MSCRATCH:
        h->mscratch = value;
        return true;
    case CSR_MEPC:
        h->mepc = value & ~1ull;
        return true;
    case CSR_MCAUSE:
        h->mcause = value;
        return true;
    case CSR_MTVAL:
        h->mtval = value;
        return true;
    case CSR_MISA:
    case CSR_MIP:
    case CSR_MCYCLE:
    case CSR_MINSTRET:
        return true;
    default:
        return csr >> 10 != 3 && is_zero(csr);
    }
}
