/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CSRs (The RISC-V Instruction Set Manual, Volume II, sections 2.2, 3.1 and 4.1). Event counters are
 * read-only zero, as the specification allows. cycle and instret are the number of instructions begun, and
 * writes to mcycle and minstret have no effect. satp's ASID is kept; every write to satp forgets all
 * translations.
 */
#include "soc/hart/csr.h"
#include "soc/hart/parts.h"

/* Those that keep what is written to some of their bits, without any other effect. */
#define STORED(X)                                                                                            \
    X(MP_CSR_MEDELEG, medeleg, DELEGABLE)                                                                    \
    X(MP_CSR_MIDELEG, mideleg, S_INTERRUPTS)                                                                 \
    X(MP_CSR_MIE, mie, M_INTERRUPTS | S_INTERRUPTS)                                                          \
    X(MP_CSR_MTVEC, mtvec, ~2ull) /* direct or vectored */                                                   \
    X(MP_CSR_MCOUNTEREN, mcounteren, UINT32_MAX)                                                             \
    X(MP_CSR_MENVCFG, menvcfg, ENVCFG_FIOM)                                                                  \
    X(MP_CSR_MSCRATCH, mscratch, UINT64_MAX)                                                                 \
    X(MP_CSR_MEPC, mepc, ~1ull)                                                                              \
    X(MP_CSR_MCAUSE, mcause, UINT64_MAX)                                                                     \
    X(MP_CSR_MTVAL, mtval, UINT64_MAX)                                                                       \
    X(MP_CSR_STVEC, stvec, ~2ull)                                                                            \
    X(MP_CSR_SCOUNTEREN, scounteren, UINT32_MAX)                                                             \
    X(MP_CSR_SENVCFG, senvcfg, ENVCFG_FIOM)                                                                  \
    X(MP_CSR_SSCRATCH, sscratch, UINT64_MAX)                                                                 \
    X(MP_CSR_SEPC, sepc, ~1ull)                                                                              \
    X(MP_CSR_SCAUSE, scause, UINT64_MAX)                                                                     \
    X(MP_CSR_STVAL, stval, UINT64_MAX)

#define M_INTERRUPTS (1u << MP_IRQ_SOFTWARE | 1u << MP_IRQ_TIMER | 1u << MP_IRQ_EXTERNAL)
#define S_INTERRUPTS (1u << MP_IRQ_S_SOFTWARE | 1u << MP_IRQ_S_TIMER | 1u << MP_IRQ_S_EXTERNAL)
#define DELEGABLE    0xb3ffu /* all but ECALL from M-mode */
#define ENVCFG_FIOM  1u      /* fences order devices, too: they always do */

/* What S-mode sees and writes of mstatus. */
#define SSTATUS (MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP | MSTATUS_SUM | MSTATUS_MXR)
#define MSTATUS_WRITABLE                                                                                     \
    (SSTATUS | MSTATUS_MIE | MSTATUS_MPIE | MSTATUS_MPRV | MSTATUS_TVM | MSTATUS_TW | MSTATUS_TSR)
#define UXL (2ull << 32) /* 64 bits */
#define SXL (2ull << 34)

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
    const struct csrs *c = &h->csr;
    if (h->privilege == MP_HART_MACHINE)
        return true;
    if (csr - MP_CSR_CYCLE < 32) /* counters */
        return (c->mcounteren & (h->privilege == MP_HART_USER ? c->scounteren : UINT32_MAX)) >>
                   (csr - MP_CSR_CYCLE) &
               1;
    if (csr == MP_CSR_SATP && c->mstatus & MSTATUS_TVM)
        return false;
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
        *value = h->csr.mstatus | UXL | SXL;
        return true;
    case MP_CSR_SSTATUS:
        *value = (h->csr.mstatus & SSTATUS) | UXL;
        return true;
    case MP_CSR_MISA: /* RV64IMAC with S-mode and U-mode */
        *value = 2ull << 62 | 1 << ('I' - 'A') | 1 << ('M' - 'A') | 1 << ('A' - 'A') | 1 << ('C' - 'A') |
                 1 << ('S' - 'A') | 1 << ('U' - 'A');
        return true;
    case MP_CSR_MIP:
        *value = mp_hart_mip(h);
        return true;
    case MP_CSR_SIP:
        *value = mp_hart_mip(h) & h->csr.mideleg;
        return true;
    case MP_CSR_SIE:
        *value = h->csr.mie & h->csr.mideleg;
        return true;
    case MP_CSR_SATP:
        *value = h->csr.satp;
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

static void merge(uint64_t *old, uint64_t value, uint64_t writable)
{
    *old = (*old & ~writable) | (value & writable);
}

/* MPP holds the privileges that there are. */
static void write_mstatus(struct mp_hart *h, uint64_t value, uint64_t writable)
{
    const uint64_t viewed = MSTATUS_MPRV | MSTATUS_MPP | MSTATUS_SUM | MSTATUS_MXR;
    uint64_t before = h->csr.mstatus;
    if (!mp_hart_is_privilege(mp_hart_mpp(value)))
        writable &= ~(uint64_t)MSTATUS_MPP;
    merge(&h->csr.mstatus, value, writable);
    if ((h->csr.mstatus ^ before) & viewed)
        mp_hart_update_views(h);
}

/* A mode that there is not leaves all as it was. */
static void write_satp(struct mp_hart *h, uint64_t value)
{
    uint64_t mode = value >> SATP_MODE_SHIFT;
    if (mode != SATP_BARE && mode != SATP_SV39 && mode != SATP_SV48)
        return;
    h->csr.satp = value;
    mp_hart_forget_translations(h);
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
        write_mstatus(h, value, MSTATUS_WRITABLE | MSTATUS_MPP);
        return true;
    case MP_CSR_SSTATUS:
        write_mstatus(h, value, SSTATUS);
        return true;
    case MP_CSR_MIP:
        merge(&h->csr.mip, value, S_INTERRUPTS);
        return true;
    case MP_CSR_SIP:
        merge(&h->csr.mip, value, h->csr.mideleg & 1u << MP_IRQ_S_SOFTWARE);
        return true;
    case MP_CSR_SIE:
        merge(&h->csr.mie, value, h->csr.mideleg);
        return true;
    case MP_CSR_SATP:
        write_satp(h, value);
        return true;
    case MP_CSR_MISA:
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
