/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the CSRs that the hart has (The RISC-V Instruction Set Manual, Volume II, section 2.2). */
#ifndef MP_SOC_HART_CSR_H
#define MP_SOC_HART_CSR_H

#include <stdbool.h>

enum {
    MP_CSR_SSTATUS = 0x100,
    MP_CSR_SIE = 0x104,
    MP_CSR_STVEC = 0x105,
    MP_CSR_SCOUNTEREN = 0x106,
    MP_CSR_SENVCFG = 0x10a,
    MP_CSR_SSCRATCH = 0x140,
    MP_CSR_SEPC = 0x141,
    MP_CSR_SCAUSE = 0x142,
    MP_CSR_STVAL = 0x143,
    MP_CSR_SIP = 0x144,
    MP_CSR_SATP = 0x180,
    MP_CSR_MSTATUS = 0x300,
    MP_CSR_MISA = 0x301,
    MP_CSR_MEDELEG = 0x302,
    MP_CSR_MIDELEG = 0x303,
    MP_CSR_MIE = 0x304,
    MP_CSR_MTVEC = 0x305,
    MP_CSR_MCOUNTEREN = 0x306,
    MP_CSR_MENVCFG = 0x30a,
    MP_CSR_MCOUNTINHIBIT = 0x320,
    MP_CSR_MSCRATCH = 0x340,
    MP_CSR_MEPC = 0x341,
    MP_CSR_MCAUSE = 0x342,
    MP_CSR_MTVAL = 0x343,
    MP_CSR_MIP = 0x344,
    MP_CSR_PMPCFG0 = 0x3a0,
    MP_CSR_PMPADDR0 = 0x3b0,
    MP_CSR_MCYCLE = 0xb00,
    MP_CSR_MINSTRET = 0xb02,
    MP_CSR_CYCLE = 0xc00,
    MP_CSR_TIME = 0xc01,
    MP_CSR_INSTRET = 0xc02
};

/* Whether its value changes by time alone. */
static inline bool mp_csr_is_time(unsigned csr)
{
    return csr == MP_CSR_MCYCLE || csr == MP_CSR_MINSTRET || csr == MP_CSR_CYCLE || csr == MP_CSR_TIME ||
           csr == MP_CSR_INSTRET;
}

#endif
