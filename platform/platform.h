/* SPDX-License-Identifier: Apache-2.0 */
/* The assembled platform: one configuration run to its end. SystemC keeps one simulation per process, so a
 * process calls mp_platform_run once; callers that want several runs fork. */
#ifndef MP_PLATFORM_H
#define MP_PLATFORM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "engine/error.h"
#include "engine/groups.h"
#include "rtl_run.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_db;
struct mp_plugin;
struct mp_xray_report;

struct mp_progress {
    uint64_t accesses_done, accesses_total; /* warp memory instructions of the first complete runs */
    uint64_t cycles;
    unsigned tenants;
    struct {
        uint64_t done, total; /* accesses of the tenant's first complete run */
    } tenant[MP_TENANTS];
};

enum mp_xray_cause { MP_XRAY_ASKED, MP_XRAY_CUT, MP_XRAY_STUCK };

struct mp_window {
    uint64_t first, last; /* cycles, first to last - 1; equal: none */
};

struct mp_run {
    const struct mp_config *config;
    const char *trace[MP_TENANTS]; /* GWT file of each tenant */
    const char *checked;           /* folder with records of checked traces (gwt_open_known), or NULL */
    bool force_tlm;                /* every link through TLM-2.0 transport, no native calls */
    bool check; /* every translation is compared with the page table, and the first that differs ends the run
                 */
    /* The traffic to observe, or NULL, and the file to write to. The path of a block, with the wildcards of
     * fnmatch(3), or the name of a level of TLBs selects the traffic of the links into the blocks. As stimuli
     * of replay, the name with "_array" selects the accesses to the array of the level's only TLB, and
     * "walks" the page walks that arrive. */
    const char *observe;
    const char *observe_file;
    /* If not NULL, `observe` selects a block (the TLB with an array or a directory; of scans any path), and
     * what happens in it is written so, as stimuli of RTL. */
    const struct mp_rtl_writer *writer;
    struct mp_window window; /* all walks in it go to db */
    uint64_t until;   /* the run ends at this cycle, before its events, or earlier; 0 if there is no limit */
    unsigned threads; /* that run groups of blocks (engine/groups.h), with the same results; 0: one */
    bool balance;     /* measures how the work could be divided; with one thread */
    struct mp_rtl rtl;
    const struct mp_plugin *const *plugin; /* whose modules are attached; ends with NULL. Or NULL */
    struct mp_db *db;                      /* where values go, or NULL */
    int64_t run_id;                        /* of the row that mp_db_run_begin made */
    void (*progress)(void *context,
                     const struct mp_progress *progress); /* about five times a second; may be NULL */
    void *context;
    const volatile sig_atomic_t *stop; /* set by a signal handler: the run ends early; may be NULL */
    /* The run is stuck if a tenant's warps all wait and it has made no progress for `watchdog` simulated
     * cycles, or if no tenant has for `watchdog_seconds` of the host; 0: never. It then fails, with
     * result.stuck. */
    uint64_t watchdog;
    double watchdog_seconds;
    /* Takes an X-ray of the machine (models/gpu/xray.h): when `look`, which a signal handler sets, has
     * changed; at the cycle `until`; when the run is stuck, with the reason in `why`. May be NULL, and
     * `look`, too. */
    void (*xray)(void *context, const struct mp_xray_report *report, enum mp_xray_cause cause,
                 const char *why);
    const volatile sig_atomic_t *look;
    /* Called once before the events of the cycle `checkpoint_at`, when all groups have reached it; 0: never.
     * 0: the run goes on; 1: this is another process, in which the run goes on, and `until` may have changed;
     * -1: the run fails. */
    uint64_t checkpoint_at;
    int (*checkpoint)(void *checkpoint_context, struct mp_error *err);
    void *checkpoint_context;
};

struct mp_tenant_result {
    /* Of the first complete run, or of all that ended (stats.runs). */
    uint64_t cycles, instructions; /* warp instructions */
    uint64_t thread_instructions;
    uint64_t
        recorded_instructions; /* as instructions, before the trace's gaps were scaled; 0: they were not */
    uint64_t accesses;         /* warp memory instructions */
    uint64_t translations;     /* requests to L1 TLBs: of pages, or of lines if sm.translate is after */
    struct mp_tlb_result {
        uint64_t lookups, misses;
    } tlb[MP_TLB_LEVELS]; /* in the order of mp_config_tlbs() */
    /* Page walks; cycles in the queue and on a walker, summed; walks that foreign walkers did; walks of
     * others that this tenant's waited for, summed. */
    uint64_t walks, queue_cycles, walk_cycles, stolen, waited_for;
    uint64_t completions; /* of the application, in what is counted: at most 1 of a first run */
};

#define MP_RTL_BLOCKS 256u /* at most: TLBs of some levels, page-walk systems, page tables */
#define MP_RTL_COUNTS 14u  /* counts of them; more do not fit into the message of a process (cli/task.h) */

struct mp_rtl_count {   /* RTL that took part */
    char component[32]; /* its path; of many blocks together: what they are in place of */
    unsigned places;    /* their number */
    bool shadow;
    const char *cosim; /* the name of its RTL in `mempath cosim` */
    uint64_t transactions, clocks;
    unsigned points, reached; /* of coverage, where RTL and model are compared */
};

/* How much of a block's work its RTL has done, if firmware may choose what the RTL lacks. */
struct mp_rtl_share {
    const char *unit;           /* "lookups", "walks" */
    uint64_t requests, decided; /* all, and those while the RTL decided or was compared */
    char why[160];              /* the latest reason for which the model decided alone; or empty */
};

struct mp_result {
    bool interrupted;
    bool cut;          /* ended by mp_run.until: tenants that have not ended have their results up to there */
    bool checkpointed; /* it wrote mp_run.checkpoint */
    bool stuck;        /* nothing moves any more: the run ended there, in cycle `cycles`, with -1 */
    bool different;    /* RTL and model: the run ended there, in cycle cycles, with -1 */
    unsigned nrtl;
    struct mp_rtl_count rtl[MP_RTL_COUNTS];
    uint64_t cycles;
    /* Simulated in all, restarts included: what the speed figures count. */
    uint64_t instructions, accesses, translations;
    uint64_t events; /* of the engine; with TLM, more of them for the same results */
    unsigned groups; /* of blocks, in all stages */
    struct mp_balance balance;
    double seconds;     /* of simulation, without reading and building */
    uint64_t digest[2]; /* XXH3-128 over all results; equal for equal inputs on any machine */
    struct mp_tenant_result tenant[MP_TENANTS];
};

/* 0, or -1 with one line in err. */
int mp_platform_run(const struct mp_run *run, struct mp_result *result, struct mp_error *err);

/* Ends the open run of db with these results, or as failed if error is not NULL. threads: of the run. */
int mp_result_record(struct mp_db *db, const struct mp_result *result, const struct mp_config *config,
                     unsigned threads, const char *error, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
