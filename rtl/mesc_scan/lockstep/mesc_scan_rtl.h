/* SPDX-License-Identifier: Apache-2.0 */
/* A C interface to a Verilated rtl/mesc_scan/mp_mesc_scan.sv: a scan, with the memory behind its port. */
#ifndef MP_RTL_MESC_SCAN_RTL_H
#define MP_RTL_MESC_SCAN_RTL_H

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The memory behind the port: access() reads, or writes *data. It is called when an access is accepted, in
 * their order. */
struct mesc_scan_memory {
    void (*access)(void *self, bool write, uint64_t at, uint64_t *data);
    void *self;
};

/* What a scan waits for. */
enum mesc_scan_waits {
    MESC_SCAN_GOES_ON,  /* nothing */
    MESC_SCAN_REQUESTS, /* the acceptance of a read */
    MESC_SCAN_READS,    /* the answer to a read */
    MESC_SCAN_WRITES,   /* the acceptance of the write */
    MESC_SCAN_ENDS      /* its end is shown */
};

struct mesc_scan_answer {
    uint64_t bits; /* AC and C, in the order of the entry */
    bool changed, reset;
    enum mesc_scan_waits waits; /* when the reset came */
    uint64_t clocks;            /* from the start to the end */
    const char *wrong;          /* as rtl_verilated.wrong, or a scan without an end */
};

struct mesc_scan_rtl {
    struct rtl_verilated verilated;
    bool heads_first;
    bool timed;                   /* its clocks are those of rtl/ */
    void *(*open)(uint64_t seed); /* returns NULL if memory runs out */
    /* Scans the frame whose entry is at this address. Calm: the memory is ready whenever there is an access,
     * and answers a read in the next clock. Rough: everything takes up to 8 clocks, and sometimes some
     * hundreds; the answer's valid means nothing unless a read is in flight. With manner.reset a reset ends
     * the scan after that number of clocks. */
    void (*scan)(void *rtl, uint64_t at, const struct mesc_scan_memory *memory,
                 struct mesc_scan_answer *answer, struct rtl_manner manner);
};

#ifdef __cplusplus
}
#endif
#endif
