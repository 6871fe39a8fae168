/* SPDX-License-Identifier: Apache-2.0 */
#include "no_sms.h"

#include "sm/sm.h"

uint32_t no_sms_retried;
void (*no_sms_retry)(struct mp_req *page);
bool no_sms_uses;
uint64_t no_sms_since;

void mp_sm_retry(struct mp_sm *sm, struct mp_req *page)
{
    (void)sm;
    no_sms_retried++;
    if (no_sms_retry)
        no_sms_retry(page);
}

void mp_sm_stall(struct mp_sm *sm, bool stalled)
{
    (void)sm;
    (void)stalled;
}

void mp_sm_watch_walks(struct mp_sm *sm, void (*walked)(void *self, const struct mp_req *page), void *self)
{
    (void)sm;
    (void)walked;
    (void)self;
}

bool mp_sm_uses_translations_of(const struct mp_sm *sm, const struct mp_scope *scope, uint64_t cycle)
{
    (void)sm;
    (void)scope;
    no_sms_since = cycle;
    return no_sms_uses;
}
