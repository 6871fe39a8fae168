/* SPDX-License-Identifier: Apache-2.0 */
/* What estimate.c, which samples a run, and estimate_values.c, which computes with the samples, share. */
#ifndef MP_GPU_ESTIMATE_STATE_H
#define MP_GPU_ESTIMATE_STATE_H

#include "gpu/estimate.h"

enum {
    MP_ESTIMATE_STRATA =
        64, /* kernels of a tenant that are different strata; further ones count as the last */
    MP_ESTIMATE_NO_STRATUM = UINT32_MAX
};

enum mp_estimate_phase { MP_ESTIMATE_WARMING, MP_ESTIMATE_MEASURING };

struct mp_estimate_kernel {
    uint64_t name;                       /* hash */
    uint64_t instructions;               /* executed, in both modes */
    uint64_t whole;                      /* of them in parts that are no samples */
    bool warm;                           /* the rate is that of windows after a warm-up */
    uint64_t rate_executed, rate_cycles; /* of the latest windows: instructions, cycles of resident warps */
    uint32_t windows;                    /* that are samples */
};

struct mp_estimate_sample {
    struct mp_sample s;
    bool whole, warm; /* warm: it began after a warm-up */
};

struct mp_estimate_tenant {
    struct mp_app *app;
    struct mp_estimate_kernel kernel[MP_ESTIMATE_STRATA];
    uint32_t kernels, now; /* now: the running one */
    uint64_t counted;      /* instructions that have been added to a kernel's */
    uint32_t waited;       /* cycles since its kernel ended in functional mode */
    uint64_t ahead;        /* instructions that functional mode has executed */
    bool open;             /* a window is open */
    bool whole;     /* its kernel has begun or ended since functional mode: what is counted is no sample */
    uint32_t warps; /* resident when it was opened */
    uint64_t at[MP_ESTIMATE_COUNTS];
    struct mp_estimate_sample *sample;
    uint32_t samples, room;
    bool warming; /* since functional mode, up to a window or the end of its kernel */
    uint64_t warming_since, warming_counted, warm_up_cycles, warm_up_executed;
    int64_t *credit; /* of each of its SMs: instructions to execute, times two to the power of RATE_SHIFT */
};

struct mp_estimate {
    struct mp_wheel *wheel;
    struct mp_estimate_params p;
    enum mp_estimate_phase phase;
    bool functional;         /* now */
    bool pilot;              /* the window is there for a rate only */
    uint64_t idle, executed; /* warm-ups in a row without an instruction; instructions up to the last one */
    uint64_t warm;           /* cycle from which a window can begin */
    uint64_t due;            /* cycle of the next step */
    uint64_t skipped;        /* cycles that passed in functional mode */
    uint64_t next_window;    /* cycle, skipped ones included, in which its warm-up begins */
    uint64_t windows;        /* that are no pilots */
    uint32_t first;          /* SM that begins the next quantum */
    struct mp_estimate_tenant tenant[MP_TENANTS];
};

_Noreturn void mp_estimate_out_of_memory(void);

/* The number of a tenant of e. */
unsigned mp_estimate_number(const struct mp_estimate *e, const struct mp_estimate_tenant *t);
/* The tenant's counts now; that of cycles is the cycle in detail. */
void mp_estimate_read(const struct mp_estimate *e, const struct mp_estimate_tenant *t,
                      uint64_t count[MP_ESTIMATE_COUNTS]);
/* Cycles of the run, those of functional mode included. */
uint64_t mp_estimate_cycle(const struct mp_estimate *e);

/* The first `values` values from the samples up to now, without biases. */
void mp_estimate_from_samples(const struct mp_estimate_tenant *t, unsigned values,
                              struct mp_estimated *result);
/* All values of a tenant whose windows are closed and whose instructions are counted. */
void mp_estimate_values_of(const struct mp_estimate *e, const struct mp_estimate_tenant *t,
                           struct mp_estimated *result);

#endif
