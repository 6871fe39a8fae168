/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The SMs on which a kernel's work-groups run, and what they execute there. A policy is one file in this
 * folder and one word in the list of models/sm/CMakeLists.txt.
 *
 * The application (sm/app.h) reads the kernel. Its policy takes work-groups in the trace's order
 * (mp_app_peek, mp_app_take) and starts blocks on SMs (mp_app_run_on). A block may be a work-group of the
 * trace, several of them one after the other, or instructions of the policy's own: next() decides. An SM
 * calls next(), access_done() and fault() for the warps of a block, with `app` as self and the policy's own
 * pointer as `work`.
 */
#ifndef MP_SM_DISPATCH_H
#define MP_SM_DISPATCH_H

#include "engine/design.h"
#include "sm/sm.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mp_app;

struct mp_dispatch_policy {
    struct mp_design design;
    /* Checks that the policy can work with these SMs. NULL if it can with all. Returns -1 and in err
     * "NAME: ..." with what is allowed, where NAME is one of the design's own parameters or a path such as
     * sm.ctas. */
    int (*check)(const struct mp_sm_params *sm, const struct mp_design_values *own, struct mp_error *err);
    size_t bytes; /* of mp_app.state, which the policy keeps for an application; zeros at first */
    /* A kernel begins: mp_app.kernel. NULL: there is nothing to prepare. */
    void (*begin)(struct mp_app *app);
    /* Starts in this cycle whatever has room; called when a kernel begins and when a block has ended on an SM
     * that the application may use. True: nothing of the kernel is left to start, so that it ends with its
     * last block. */
    bool (*place)(struct mp_app *app);
    /* A block has ended: the policy gives back what it took for it (mp_app_release). Returns the block's
     * warps. */
    uint32_t (*ended)(struct mp_app *app, struct mp_sm *sm, void *work);
    /* The kernel goes on after all its blocks have ended, since its application was preempted
     * (mp_app_preempt): place() is next. A policy whose blocks take several work-groups lets each take one at
     * least, and no further one while mp_app.preempting is set. NULL: there is nothing to prepare. */
    void (*resume)(struct mp_app *app);
    /* Frees what the state points to. NULL: nothing. */
    void (*clear)(struct mp_app *app);
    bool waits_for_host; /* a kernel is launched when the host knows that the one before it has ended */
    /* As in struct mp_sm_owner. access_done: NULL counts each access as one of the application. A policy that
     * wants to know of accesses keeps all blocks of the machine in one group (gpu/split.h), since it then
     * decides by what SMs have done in the same cycle. */
    uint32_t (*next)(void *app, void *work, uint32_t warp, struct gwt_step *step, uint32_t room);
    void (*access_done)(void *app, void *work, uint32_t warp, uint64_t issued);
};

#define MP_DISPATCH_POLICY_NEEDS(EACH, WITH) EACH(place), EACH(ended), EACH(next)

extern const struct mp_dispatch_policy *mp_dispatch_policies[]; /* NULL-terminated */
extern const struct mp_design *mp_dispatch_policy_designs[];
const struct mp_dispatch_policy *mp_dispatch_policy_find(const char *name);

#ifdef __cplusplus
}
#endif
#endif
