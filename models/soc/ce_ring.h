/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of the copy engines (regs/ce.def). Firmware includes this header. */
#ifndef MP_SOC_CE_RING_H
#define MP_SOC_CE_RING_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum mp_ce_engine { MP_CE_IN, MP_CE_OUT, MP_CE_ENGINES };

enum { MP_CE_FEWEST = 2, MP_CE_MOST = 64 }; /* descriptors of a ring */
enum { MP_CE_MOST_BYTES = 1 << 21 };        /* of a copy, at most */

#define MP_CE_HOST (UINT64_C(1) << 40) /* physical addresses from here on are the host's memory */
#define MP_CE_ZERO 1u                  /* flag: the target gets zeros, and there is no source; engine IN */

struct mp_ce_descriptor { /* a ring is at a multiple of 32 */
    uint64_t source, target;
    uint32_t bytes, flags;
    uint64_t fence;
};

#ifdef __cplusplus
}
#endif
#endif
