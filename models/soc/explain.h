/* SPDX-License-Identifier: Apache-2.0 */
/* Explains why an access of the management core was refused: what is at its address, or near it. */
#ifndef MP_SOC_EXPLAIN_H
#define MP_SOC_EXPLAIN_H

#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_soc_access {
    enum mp_soc_access_kind { MP_SOC_LOAD, MP_SOC_STORE, MP_SOC_FETCH } kind;
    uint64_t address;
    unsigned width;      /* bytes; unused for a fetch */
    bool atomic, dlab;   /* dlab: selects the view of the UART */
    uint64_t gpu_memory; /* bytes of GPU memory, from the start of its window */
};

/* Returns one clause, such as "0x10100000 is GPU.ID, which is read-only". */
void mp_soc_explain(const struct mp_soc_access *a, char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
