/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "cli/cosim.h"
#include "cli/replay.h"

static const struct cosim_mode modes[] = {
    [COSIM_DWS] = {.design = COSIM_DWS_TENANTS,
                   .name = "dws",
                   .title = "stealing when the owner has nothing waiting"},
    [COSIM_DWSPP] = {.design = COSIM_DWS_TENANTS,
                     .name = "dws++",
                     .title = "and by threshold (DWS Table IV)",
                     .rules = 11},
    [COSIM_DWSPP_CONSERVATIVE] = {.design = COSIM_DWS_TENANTS,
                                  .name = "dws++-conservative",
                                  .title = "with a lower QUEUE_THRES (Table VII)"},
    [COSIM_DWSPP_AGGRESSIVE] = {.design = COSIM_DWS_TENANTS,
                                .name = "dws++-aggressive",
                                .title = "with a low DIFF_THRES always (Table VII)"},
    {0},
};

_Static_assert(sizeof(struct replay_walk) <= COSIM_STIMULUS_BYTES, "a stimulus fits");

static int parse(const char *line, size_t length, void *stimulus, struct mp_error *err)
{
    struct replay_walk *s = stimulus, walk;
    int found = replay_walks_parse(line, length, &walk, err);
    if (found <= 0)
        return found;
    if (walk.tenant >= COSIM_DWS_TENANTS)
        return mp_fail(err, "there is no tenant %u; 0 to %u", walk.tenant, COSIM_DWS_TENANTS - 1);
    if (walk.arrive < s->arrive)
        return mp_fail(err, "cycle %" PRIu64 " is before the last; %" PRIu64 " or later", walk.arrive,
                       s->arrive);
    *s = walk;
    return 1;
}

const struct cosim_block cosim_dws = {
    .name = "dws",
    .summary = "the walk scheduler of DWS and DWS++ (rtl/dws_scheduler.sv), 16 walkers with queues of 12, "
               "two tenants",
    .symbol = "mempath_cosim_dws",
    .formats = "  CYCLE TENANT ID  a page walk\n"
               "\n"
               "as mempath replay walks takes them, and with its order of events in a cycle; IDs are not "
               "looked at.\n"
               "Transactions are arrivals and completions.\n",
    .modes = modes,
    .usual = COSIM_DWSPP,
    .latencies = true,
    .parse = parse,
};
