/* SPDX-License-Identifier: Apache-2.0 */
/* The state of channels of stacked memory (hbm.c), in addition to their queues. Ticks are cycles of the
 * memory's clock; each is the first that takes the command. */
#ifndef MP_DRAM_HBM_H
#define MP_DRAM_HBM_H

#include "dram/dram.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_HBM_WINDOW 4u /* activates within p.faw */

struct mp_hbm_channel {
    struct mp_hbm_bank {
        uint64_t activate, column, precharge;
    } * bank;
    struct mp_hbm_group {
        uint64_t activate, column;
    } * group;
    uint64_t activate_at;           /* of any group */
    uint64_t read_at, write_at;     /* the data bus */
    uint64_t window[MP_HBM_WINDOW]; /* when an activate may follow each of the last ones */
    uint64_t refresh;               /* when the next one is due, of all banks or of one */
    uint64_t refreshed;             /* banks, if they refresh one after another */
    uint64_t tick;                  /* the first that has not been decided */
    uint64_t busy;                  /* ticks of the data bus */
    uint32_t activates;
    uint32_t streak; /* accesses in this direction */
    bool writing;
};

/* Returns -1 if memory runs out. The channels of d have their queues. */
int mp_dram_hbm_init(struct mp_dram *d);
enum mp_answer mp_dram_hbm_request(void *dram, unsigned port, struct mp_req *req, uint32_t *delay);

#ifdef __cplusplus
}
#endif
#endif
