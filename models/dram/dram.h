/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The DRAM channels of one MIG instance. A channel has a finite queue, banks with a row buffer each, and one
 * data bus. Its scheduler is FR-FCFS (Rixner et al., ISCA 2000): the oldest request whose row is open goes
 * first; otherwise the oldest request opens its row, if its bank is free and no request waits for the row
 * that is open there. An address map (map/map.h) gives the channel, bank and row of an address. Refresh, bank
 * groups and the turn of the bus between reads and writes are those of another model of the channels, hbm.h.
 */
#ifndef MP_DRAM_DRAM_H
#define MP_DRAM_DRAM_H

#include "engine/block.h"
#include "engine/link.h"
#include "engine/metric.h"
#include "map/map.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_dram_stats {
    uint64_t reads, writes, row_hits, row_misses, busy_cycles, channels, queue_cycles, stalls;
};

extern const struct mp_metric_table mp_dram_metrics;
extern const struct mp_block_kind mp_dram_kind;

enum mp_dram_model { MP_DRAM_BANKS, MP_DRAM_IDEAL, MP_DRAM_HBM };

struct mp_dram_params {
    uint32_t channels, banks, row_bytes, queue;
    uint32_t burst, cas, rcd, rp, ras; /* cycles */
    uint32_t transport;                /* cycles of the machine's clock */
    uint32_t model;                    /* enum mp_dram_model */
    uint32_t latency;                  /* cycles of every access of MP_DRAM_IDEAL */
    /* Of MP_DRAM_HBM, whose times count cycles of its clock. */
    uint32_t clock, core; /* MHz, the machine's clock is core */
    uint32_t accesses;    /* column accesses of a line, each of burst / accesses */
    uint32_t groups;      /* bank b is in group b mod groups */
    uint32_t ccd_l, rrd, rrd_l, faw, rtp, cwl, wr, wtr;
    uint32_t refi;       /* 0: no refresh */
    uint32_t by_bank;    /* banks refresh one after another, each once in refi */
    uint32_t rfc, rfcpb; /* of all banks, of one */
    uint32_t rrefd;      /* from the refresh of a bank to an activate or refresh of another */
    uint32_t batch;      /* accesses in one direction, after which the other one has its turn */
    uint32_t tenants;
    struct mp_map map; /* of addresses to channels, banks and rows */
    uint32_t ports;    /* a multiple of channels: one port per channel for each initiator; 0: one initiator */
};

#define MP_DRAM_NONE      0x7fffffffu /* above every rank; vectors compare signed numbers faster */
#define MP_DRAM_BANK_BITS 6u          /* up to 64 banks */
#define MP_DRAM_ORDERS    (MP_DRAM_NONE >> MP_DRAM_BANK_BITS) /* arrivals that ranks can distinguish */

struct mp_dram_channel {
    struct mp_dram *dram;
    uint64_t bus_free;     /* first cycle in which the data bus is free */
    uint64_t command_free; /* first cycle in which a command can be given */
    uint64_t waits;        /* a bit for each bank in which a request waits */
    uint64_t wake;         /* cycle of the next decision, MP_NEVER while there is nothing to decide */
    uint64_t new_wake;     /* when the requests that arrived last make a command possible, or MP_NEVER */
    struct mp_dram_bank {
        uint64_t row;                            /* the open row, MP_NEVER when closed */
        uint64_t activated;                      /* cycle in which the row was opened */
        uint64_t ready;                          /* first cycle that takes a column access or a precharge */
        struct mp_dram_entry *oldest, *youngest; /* requests that wait for this bank, in order */
        struct mp_dram_entry *hit;               /* the oldest of them that wants the open row, or NULL */
    } * bank;
    /* The members of each bank that a decision reads, in separate arrays of 32 bits, so that the compiler
     * compares eight banks at once; each array has a multiple of eight. A rank is the order of arrival with
     * the bank in its low bits, or MP_DRAM_NONE if there is no such request. Times are the low bits of a
     * cycle, which is never far away. */
    uint32_t *ready;       /* the banks' ready */
    uint32_t *hit_rank;    /* of the bank's oldest row hit */
    uint32_t *oldest_rank; /* of its oldest request */
    uint64_t refreshed;    /* cycle in which the times were last copied from the banks */
    uint64_t arrived;      /* cycle of the last arrival */
    uint32_t first_new;    /* number of the first arrival in that cycle */
    uint32_t arrivals;     /* renumbered before they exceed a rank */
    struct mp_dram_entry {
        uint64_t row;
        uint32_t order; /* counts arrivals */
        struct mp_req *req;
        struct mp_dram_entry *next, *previous; /* of the same bank; next of the spare ones too */
        uint64_t sent; /* this, tenant and write: the request's, which is not in the host's cache any more
                        * when its turn comes */
        uint32_t bank;
        uint8_t tenant;
        bool write;
        bool opened;  /* it opened its row itself: a row miss */
        uint8_t left; /* column accesses, of MP_DRAM_HBM */
    } * spare;
    uint32_t length;
    struct mp_req_queue held;
    struct mp_hbm_channel *hbm; /* of MP_DRAM_HBM (hbm.h) */
};

struct mp_dram {
    struct mp_wheel *wheel;
    struct mp_dram_params p;
    struct mp_dram_channel *channel;
    struct mp_dram_bank *banks;
    struct mp_dram_entry *entries;
    void *hbm;        /* what the channels have in addition */
    uint32_t *orders; /* ready, hit_rank and oldest_rank of all channels */
    struct mp_initiator *up;
    struct mp_dram_stats *stats;
};

/* Returns -1 if memory runs out. */
int mp_dram_init(struct mp_dram *d, struct mp_wheel *wheel, const struct mp_dram_params *params);
void mp_dram_free(struct mp_dram *d);

/* Port p leads to channel p mod channels: the initiator chooses the channel with mp_map_channel, by the same
 * map. */
enum mp_answer mp_dram_request(void *dram, unsigned port, struct mp_req *req, uint32_t *delay);
void mp_dram_xray(const void *dram, const struct mp_xray *x); /* mp_block_kind.xray */
/* The same of an ideal memory (ideal.c). */
enum mp_answer mp_dram_ideal_request(void *dram, unsigned port, struct mp_req *req, uint32_t *delay);

#ifdef __cplusplus
}
#endif
#endif
