/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CSRs of a hart with M-mode and U-mode (The RISC-V Instruction Set Manual, Volume II, sections 2.2
 * and 3.1). Event counters are read-only zero, as the specification allows. cycle and instret are the number
 * of instructions begun, and writes to mcycle and minstret have no effect.
 */
#include "soc/hart/csr.h"
#include "soc/hart/parts.h"

/* Those that keep what is written to some of their bits, without any other effect. */
#define STORED(X)                                                                                            \
    X(MP_CSR_MIE, mie, INTERRUPTS)                                                                           \
    X(MP_CSR_MTVEC, mtvec, ~2ull) /* direct or vectored */                                                   \
    X(MP_CSR_MCOUNTEREN, mcounteren, UINT32_MAX)                                                             \
    X(MP_CSR_MENVCFG, menvcfg, ENVCFG_FIOM)                                                                  \
    X(MP_CSR_MSCRATCH, mscratch, UINT64_MAX)                                                                 \
    X(MP_CSR_MEPC, mepc, ~1ull)                                                                              \
    X(MP_CSR_MCAUSE, mcause, UINT64_MAX)                                                                     \
    X(MP_CSR_MTVAL, mtval, UINT64_MAX)

#define INTERRUPTS       (1u << MP_IRQ_SOFTWARE | 1u << MP_IRQ_TIMER | 1u << MP_IRQ_EXTERNAL)
#define ENVCFG_FIOM      1u /* fences order devices, too: they always do */
#define MSTATUS_WRITABLE (MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPRV | MSTATUS_TW)
#define MSTATUS_UXL      (2ull << 32) /* 64 bits */

/* CSRs that are zero and ignore writes. */
static const struct {
    uint16_t first, last;
} zeros[] = {
    {MP_CSR_MCOUNTINHIBIT, MP_CSR_MCOUNTINHIBIT},
    {0x323, 0x33f}, /* mhpmevent3 to 31 */
    {0x3a4, 0x3af}, /* pmpcfg4 to 15 */
    {0x3c0, 0x3ef}, /* pmpaddr16 to 63 */
    {0xb03, 0xb1f}, /* mhpmcounter3 to 31 */
    {0xc03, 0xc1f}, /* hpmcounter3 to 31 */
    {0xf11, 0xf15}, /* mvendorid, marchid, mimpid, mhartid, mconfigptr */
};

static bool is_zero(unsigned csr)
{
    if (csr >= MP_CSR_PMPCFG0 && csr < MP_CSR_PMPADDR0 && csr % 2) /* the odd pmpcfg are those of RV32 */
        return false;
    for (unsigned i = 0; i < sizeof zeros / sizeof *zeros; i++)
        if (csr >= zeros[i].first && csr <= zeros[i].last)
            return true;
    return false;
}

bool mp_hart_csr_allowed(const struct mp_hart *h, unsigned csr)
{
    if (h->privilege == MP_HART_MACHINE)
        return true;
    if (csr - MP_CSR_CYCLE < 32) /* counters */
        return h->csr.mcounteren >> (csr - MP_CSR_CYCLE) & 1;
    return h->privilege >= (csr >> 8 & 3);
}

/* --- PMP ------------------------------------------------------------------------------------------ */

static uint64_t *pmp_word(struct mp_hart *h, unsigned csr)
{
    if (csr == MP_CSR_PMPCFG0 || csr == MP_CSR_PMPCFG0 + 2)
        return &h->csr.pmpcfg[(csr - MP_CSR_PMPCFG0) / 2];
    return csr - MP_CSR_PMPADDR0 < MP_HART_PMP ? &h->csr.pmpaddr[csr - MP_CSR_PMPADDR0] : NULL;
}

/* Reserved bits stay 0, and so does W without R. */
static uint64_t legal_config(uint64_t byte)
{
    enum { R = 1, W = 2, RESERVED = 0x60 };
    return byte & ~(RESERVED | (byte & R ? 0u : W));
}

static void write_config(struct mp_hart *h, unsigned first, uint64_t value)
{
    uint64_t *word = &h->csr.pmpcfg[first / 8];
    for (unsigned i = 0; i < 8; i++)
        if (!mp_hart_pmp_locks(h, first + i))
            *word = (*word & ~(0xffull << 8 * i)) | legal_config(value >> 8 * i & 0xff) << 8 * i;
}

/* The end of a locked range is also the begin of the next one, if that is a locked TOR. */
static void write_address(struct mp_hart *h, unsigned entry, uint64_t value)
{
    const uint64_t bits = (1ull << 54) - 1;
    bool begins_locked =
        entry + 1 < MP_HART_PMP && mp_hart_pmp_locks(h, entry + 1) && mp_hart_pmp_is_tor(h, entry + 1);
    if (!mp_hart_pmp_locks(h, entry) && !begins_locked)
        h->csr.pmpaddr[entry] = value & bits;
}

static void write_pmp(struct mp_hart *h, unsigned csr, uint64_t value)
{
    if (csr < MP_CSR_PMPADDR0)
        write_config(h, (csr - MP_CSR_PMPCFG0) * 4, value);
    else
        write_address(h, csr - MP_CSR_PMPADDR0, value);
    mp_hart_update_pmp(h);
}

/* --- all ------------------------------------------------------------------------------------------ */

bool mp_hart_read_csr(const struct mp_hart *h, unsigned csr, uint64_t *value)
{
    const uint64_t *pmp = pmp_word((struct mp_hart *)h, csr);
    switch (csr) {
#define READ(number, field, writable)                                                                        \
    case number:                                                                                             \
        *value = h->csr.field;                                                                               \
        return true;
        STORED(READ)
#undef READ
    case MP_CSR_MSTATUS:
        *value = h->csr.mstatus | MSTATUS_UXL;
        return true;
    case MP_CSR_MISA: /* RV64IMAC with U-mode */
        *value = 2ull << 62 | 1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A') | 1 << ('C' - 'A') |
                 1 << ('U' - 'A');
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
        *value = pmp ? *pmp : 0;
        return pmp || is_zero(csr);
    }
}

/* MPP holds the privileges that there are. */
static void write_mstatus(struct mp_hart *h, uint64_t value)
{
    unsigned mpp = mp_hart_mpp(value);
    uint64_t writable = MSTATUS_WRITABLE | (mpp == MP_HART_USER || mpp == MP_HART_MACHINE ? MSTATUS_MPP : 0);
    h->csr.mstatus = (h->csr.mstatus & ~writable) | (value & writable);
    mp_hart_update_views(h);
}

bool mp_hart_write_csr(struct mp_hart *h, unsigned csr, uint64_t value)
{
    switch (csr) {
#define WRITE(number, field, writable)                                                                       \
    case number:                                                                                             \
        h->csr.field = value & (writable);                                                                   \
        return true;
        STORED(WRITE)
#undef WRITE
    case MP_CSR_MSTATUS:
        write_mstatus(h, value);
        return true;
    case MP_CSR_MISA:
    case MP_CSR_MIP:
    case MP_CSR_MCYCLE:
    case MP_CSR_MINSTRET:
        return true;
    default:
        if (!pmp_word(h, csr))
            return csr >> 10 != 3 && is_zero(csr);
        write_pmp(h, csr, value);
        return true;
    }
}
