/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CSRs of a hart with M-mode only (The RISC-V Instruction Set Manual, Volume II, sections 2.2 and 3.1).
 * Fields that M-mode alone does not need, event counters and PMP's entries are read-only zero, as the
 * specification allows. cycle and instret are the number of instructions begun, and writes to mcycle and
 * minstret have no effect.
 */
#include "soc/hart/csr.h"
#include "soc/hart/parts.h"

/* CSRs that are zero and ignore writes. */
static const struct {
    uint16_t first, last;
} zeros[] = {
    {MP_CSR_MCOUNTINHIBIT, MP_CSR_MCOUNTINHIBIT},
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
    case MP_CSR_MSTATUS:
        *value = h->mstatus;
        return true;
    case MP_CSR_MISA: /* RV64IMAC */
        *value = 2ull << 62 | 1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A') | 1 << ('C' - 'A');
        return true;
    case MP_CSR_MIE:
        *value = h->mie;
        return true;
    case MP_CSR_MTVEC:
        *value = h->mtvec;
        return true;
    case MP_CSR_MSCRATCH:
        *value = h->mscratch;
        return true;
    case MP_CSR_MEPC:
        *value = h->mepc;
        return true;
    case MP_CSR_MCAUSE:
        *value = h->mcause;
        return true;
    case MP_CSR_MTVAL:
        *value = h->mtval;
        return true;
    case MP_CSR_MIP:
        *value = h->pending;
        return true;
    case MP_CSR_MCYCLE:
    case MP_CSR_MINSTRET:
    case MP_CSR_CYCLE:
    case MP_CSR_INSTRET:
        *value = h->counts.instructions;
        return true;
    case MP_CSR_TIME:
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
    case MP_CSR_MSTATUS:
        h->mstatus = (value & (MSTATUS_MIE | MSTATUS_MPIE)) | MSTATUS_MPP_M;
        return true;
    case MP_CSR_MIE:
        h->mie = value & interrupts;
        return true;
    case MP_CSR_MTVEC: /* direct or vectored */
        h->mtvec = value & ~2ull;
        return true;
    case MP_CSR_MSCRATCH:
        h->mscratch = value;
        return true;
    case MP_CSR_MEPC:
        h->mepc = value & ~1ull;
        return true;
    case MP_CSR_MCAUSE:
        h->mcause = value;
        return true;
    case MP_CSR_MTVAL:
        h->mtval = value;
        return true;
    case MP_CSR_MISA:
    case MP_CSR_MIP:
    case MP_CSR_MCYCLE:
    case MP_CSR_MINSTRET:
        return true;
    default:
        return csr >> 10 != 3 && is_zero(csr);
    }
}
