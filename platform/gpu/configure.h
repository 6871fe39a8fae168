/* SPDX-License-Identifier: Apache-2.0 */
/* From a configuration to the description of its machine. */
#ifndef MP_GPU_CONFIGURE_H
#define MP_GPU_CONFIGURE_H

#include "config/config.h"
#include "gpu/machine.h"
#include "paging/paging.h"
#include "trace/gwt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Levels and their parameters, and what each tenant of the configuration has. A plan follows from it with
 * mp_plan_init (gpu/plan.h). The page walkers' memory and the SMs' coalescer are left to the caller, for a
 * plan needs neither. Without tenants in the configuration the machine is not divided. */
void mp_machine_configure(struct mp_machine *machine, const struct mp_config *config);
/* The GPU also accesses the host's memory, by the configuration's link: after mp_machine_configure, which
 * does this only if tenants have managed memory that may stay on the host. SMs that translate after their
 * data caches have no such link. */
void mp_machine_connect_host(struct mp_machine *machine, const struct mp_config *config);

/* Copies access the GPU's memory, if the configuration wants that: after mp_machine_configure, which does
 * this only if tenants have managed memory. */
void mp_machine_connect_copies(struct mp_machine *machine, const struct mp_config *config);

/* Opens a trace as gwt_open_known() does, and refuses one whose warps have other lanes than those of the SMs,
 * or which does not say what a scoreboard needs. */
int mp_machine_open_trace(struct gwt_reader **out, const struct mp_config *config, const char *path,
                          const char *checked, struct mp_error *err);

/* The counter of a machine's first translation requests: the level that counts them, and its name there. */
struct mp_counter_name {
    const char *level, *metric;
};
struct mp_counter_name mp_machine_translations(const struct mp_machine *machine);

/* The server of page faults (paging/paging.h) of an instance, without its owner. buffers: of its managed
 * tenants.
 */
void mp_machine_paging(const struct mp_config *c, const struct mp_paging_buffers *buffers, uint32_t tenants,
                       struct mp_paging_params *p);

#ifdef __cplusplus
}
#endif
#endif
