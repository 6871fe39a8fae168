/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The GPU's management block (regs/gpu.def): its registers, its checks of commands, and the commands in
 * progress. It controls the GPU through a table of operations, and the GPU reports operations that end later.
 * It depends neither on models of the memory path nor on clocks. Status codes, counters and other numbers are
 * those of the register description.
 *
 * Instances are numbered 0 to 7, and so are address spaces. An address space belongs to one instance. An
 * instance runs only one launch at a time; later launches wait in the queue.
 */
#ifndef MP_SOC_MGMT_H
#define MP_SOC_MGMT_H

#include "soc/gpu_ring.h"
#include "soc/line.h"
#include "soc/regs.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MP_MGMT_INSTANCES 8u
#define MP_MGMT_SPACES    8u
#define MP_MGMT_FAULTS    32u
#define MP_MGMT_QUEUE     8u
#define MP_MGMT_COUNTERS  16u
#define MP_MGMT_CONTEXTS  8u /* launches that can be saved */
#define MP_MGMT_ECC       8u
#define MP_MGMT_REPEATS   4096u /* faults of an address space that are remembered */

struct mp_mgmt_space {
    bool valid;
    unsigned instance;
    uint64_t root, page_bytes;
    bool remote; /* it may map the host's memory */
};

struct mp_mgmt_invalidation {
    enum mp_mgmt_scope scope;
    bool walk_cache, tlbs_stay;
    unsigned asid;      /* not for ALL */
    uint64_t va, bytes; /* for PAGE; 0 bytes: the page of va */
};

struct mp_mgmt_walk {
    unsigned instance, policy, epoch, queue;
    uint8_t diff[5];
    uint64_t owned[MP_MGMT_SPACES];
};

#define MP_MGMT_PROBE_LOADS (1u << 19) /* at most */

struct mp_mgmt_probe {
    unsigned asid, instance;
    enum mp_mgmt_probe_kind kind;
    uint32_t loads;
    uint64_t list; /* GPU address of the addresses; 8 bytes each */
};

struct mp_mgmt_launch {
    unsigned instance, asid, workload;
    uint32_t tag;
};

struct mp_mgmt_memory {
    uint64_t base, bytes;
};

/* A launch on an instance asks that a range be mapped or unmapped, or that the host may access it. */
struct mp_mgmt_request {
    enum mp_mgmt_memory_kind kind;
    unsigned instance, asid;
    uint64_t va, bytes;
};

struct mp_mgmt_fault {
    uint64_t va;
    uint64_t entry; /* address of the entry that caused it, or 0 */
    uint16_t sm;
    uint8_t asid;
    uint8_t cause, level; /* enum mp_mgmt_cause; level of that entry */
    bool write;
};

struct mp_access_counters;
struct mp_service_check;

/* The operations of the GPU. Operands are in range, and instances and address spaces exist. Unless
 * invalidate, launch and probe are refused, the GPU calls mp_mgmt_invalidated, mp_mgmt_ended and
 * mp_mgmt_probed at their end, possibly within the call. It reports faults by mp_mgmt_faulted. It keeps a
 * fault for which there is no room and offers it again when there is. */
struct mp_mgmt_gpu {
    void *self;
    unsigned slices;
    uint64_t memory_bytes;
    enum mp_mgmt_status (*create)(void *self, unsigned instance, unsigned slices,
                                  struct mp_mgmt_memory *memory);
    enum mp_mgmt_status (*destroy)(void *self, unsigned instance);
    enum mp_mgmt_status (*set_space)(void *self, unsigned asid, const struct mp_mgmt_space *space);
    enum mp_mgmt_status (*invalidate)(void *self, const struct mp_mgmt_invalidation *what);
    enum mp_mgmt_status (*set_walk)(void *self, const struct mp_mgmt_walk *walk);
    enum mp_mgmt_status (*set_tlb)(void *self, unsigned level, unsigned policy);
    enum mp_mgmt_status (*replay)(void *self, unsigned asid, bool give_up);
    enum mp_mgmt_status (*count)(void *self, unsigned asid, uint64_t values[MP_MGMT_COUNTERS]);
    enum mp_mgmt_status (*launch)(void *self, const struct mp_mgmt_launch *launch);
    /* The list is in the GPU's memory. */
    enum mp_mgmt_status (*probe)(void *self, const struct mp_mgmt_probe *probe);
    unsigned walkers, sms; /* of a slice */
    unsigned workloads;
    /* Returns virtual address and size of a workload's buffer, or false if the workload has no buffer of
     * that number. */
    bool (*buffer)(void *self, unsigned workload, unsigned number, struct mp_mgmt_memory *buffer);
    void (*room)(void *self); /* there may be room for faults that had none */
    bool contiguity;          /* walks use the contiguity bits of page tables */
    /* A launch is queued, or a probe begins, in an address space in which none runs or waits. May be NULL. */
    void (*wake)(void *self, unsigned asid);
    uint64_t page_sizes; /* that an address space may have, in bytes, or'ed */
    /* The oldest request of mp_mgmt_request was answered. NULL: the GPU makes none. */
    void (*answered)(void *self, unsigned instance, bool refused);
    /* The launch that runs on the instance stops before its next work-group. It ends later: as PREEMPTED, and
     * the context has it then, or as always. NULL: launches cannot be saved. */
    void (*preempt)(void *self, unsigned instance, unsigned context);
    /* The launch goes on, on its instance, where none runs; or it is forgotten. The context is free then. */
    void (*resume)(void *self, unsigned context);
    void (*drop)(void *self, unsigned context);
    /* The launch that runs on the instance ends as STOPPED. */
    void (*stop)(void *self, unsigned instance);
    /* The instance's walks that do not go on begin again. */
    void (*restart_walks)(void *self, unsigned instance);
    /* The accesses to the page of va that wait for a replay end with an error, and so does their launch.
     * stores: only stores and atomics. NULL: UNSUPPORTED. */
    enum mp_mgmt_status (*cancel)(void *self, unsigned asid, uint64_t va, bool stores);
    /* Writes bytes at an address of the GPU's memory. Returns -1 if the host's memory is used up. NULL: there
     * are no rings. */
    int (*store)(void *self, uint64_t address, const void *from, size_t bytes);
    uint64_t (*load)(void *self, uint64_t address); /* a word of the same memory, for checks */
    uint64_t (*now)(void *self);                    /* ns; NULL: entries of rings have the time 0 */
    struct mp_access_counters *counters; /* of remote accesses; goes with store. NULL: it has none */
    uint64_t host_bytes;                 /* of the host's memory, that address spaces may map; 0: none */
};

struct mp_mgmt_ring { /* in GPU memory */
    uint64_t base;
    uint32_t entries, get, put; /* 0 entries: there is none */
};

struct mp_mgmt_repeats { /* faults in a ring whose accesses wait for a replay; a key of 0 is free */
    uint32_t count;
    uint64_t key[2 * MP_MGMT_REPEATS];
};

struct mp_mgmt_ecc { /* an error of the memory */
    uint64_t address;
    bool poisoned, entry; /* as ECC_INFO */
};

struct mp_mgmt_queued {
    struct mp_mgmt_launch launch;
    bool runs, done;
    enum mp_mgmt_status status; /* when it is done */
    bool resumes;               /* it goes on from its context */
    bool stops;                 /* RUN_PREEMPT has asked it to */
    unsigned context;           /* for either */
};

/* RESERVED: its launch runs and will stop. RESUMES: it waits in the queue. */
enum mp_mgmt_context_state { MP_MGMT_FREE, MP_MGMT_RESERVED, MP_MGMT_SAVED, MP_MGMT_RESUMES };

struct mp_mgmt {
    struct mp_regs regs;
    struct mp_GPU_values value;
    struct mp_line invalidate, fault, queue;
    const struct mp_mgmt_gpu *gpu; /* NULL if no GPU is attached */
    struct mp_mgmt_space space[MP_MGMT_SPACES];
    struct mp_mgmt_buffered {
        struct mp_mgmt_fault fault;
        bool replayed; /* its access has been replayed since, so another fault is a new one */
    } buffer[MP_MGMT_FAULTS];
    unsigned first_fault, faults;
    struct mp_mgmt_ring fault_ring[MP_MGMT_INSTANCES], notice_ring[MP_MGMT_INSTANCES];
    struct mp_mgmt_repeats repeats[MP_MGMT_SPACES];
    struct mp_mgmt_queued entry[MP_MGMT_QUEUE]; /* launches in the order of their doorbells */
    unsigned entries;
    uint8_t done[MP_MGMT_QUEUE]; /* entries in the order in which launches ended */
    unsigned completions;
    unsigned failed; /* launches that firmware knows to have ended with another status than OK */
    bool starting;
    struct mp_mgmt_context {
        enum mp_mgmt_context_state state;
        struct mp_mgmt_launch launch; /* unless it is free */
    } context[MP_MGMT_CONTEXTS];
    struct mp_mgmt_probe probe;                        /* the latest */
    struct mp_mgmt_request request[MP_MGMT_INSTANCES]; /* in the order in which they came */
    unsigned requests;
    struct mp_mgmt_ecc ecc[MP_MGMT_ECC]; /* the oldest first */
    unsigned eccs;
    struct mp_service_check *check; /* NULL: no check. The owner may set it */
};

/* The caller fills in the lines and gpu before. */
void mp_mgmt_init(struct mp_mgmt *m);

/* Calls from the GPU. */
void mp_mgmt_invalidated(struct mp_mgmt *m, uint64_t removed);
/* Puts a fault into the ring of its instance, unless its SM has one there for the same page, address space
 * and direction; without a ring into the buffer, unless that contains such a fault of any SM. Returns false
 * if there is no room. */
bool mp_mgmt_faulted(struct mp_mgmt *m, const struct mp_mgmt_fault *fault);
/* The same; the access is known better than load or store. */
bool mp_mgmt_access_faulted(struct mp_mgmt *m, const struct mp_mgmt_fault *fault, enum mp_gpu_access access);
struct mp_mgmt_entry { /* of a ring */
    const char *of;    /* "faults", "notices" */
    uint32_t index;
    bool taken; /* GET has passed it */
};

/* Finds the entry at the address, or around it. */
bool mp_mgmt_find_entry(const struct mp_mgmt *m, uint64_t address, struct mp_mgmt_entry *e);
/* The last word of a ring's entry comes late, at this address, so long after the others. Returns whether it
 * is to be written: a ring has the entry, and GET has not passed it. */
bool mp_mgmt_becomes_valid(struct mp_mgmt *m, uint64_t address, uint64_t after_ns);
/* Where mp_mgmt_faulted puts faults of the address space: 0 is the buffer, 1 + i the ring of instance i. Each
 * has room or not. */
unsigned mp_mgmt_fault_queue(const struct mp_mgmt *m, unsigned asid);
/* Sets the number of faults that wait for room. */
void mp_mgmt_hold_faults(struct mp_mgmt *m, unsigned faults);
/* An access of the address space to memory that is not the GPU's. */
void mp_mgmt_accessed_remotely(struct mp_mgmt *m, unsigned asid, uint64_t va);
/* PREEMPTED only after mp_mgmt_gpu.preempt. */
void mp_mgmt_ended(struct mp_mgmt *m, uint32_t instance, enum mp_mgmt_status status);
void mp_mgmt_probed(struct mp_mgmt *m, enum mp_mgmt_status status, uint64_t cycles);
/* Reports an error of the memory; does nothing if there is no room. */
void mp_mgmt_report_ecc(struct mp_mgmt *m, const struct mp_mgmt_ecc *error);
/* An instance makes one at a time. Returns false if firmware does not take requests; it is not made then. */
bool mp_mgmt_request(struct mp_mgmt *m, const struct mp_mgmt_request *request);

#ifdef __cplusplus
}
#endif
#endif
