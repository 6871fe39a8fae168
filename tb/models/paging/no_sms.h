/* SPDX-License-Identifier: Apache-2.0 */
/* What the server of page faults asks of SMs, for tests that have none. */
#ifndef TB_NO_SMS_H
#define TB_NO_SMS_H

#include <stdbool.h>
#include <stdint.h>

struct mp_req;

extern uint32_t no_sms_retried;                   /* pages whose accesses were to be retried */
extern void (*no_sms_retry)(struct mp_req *page); /* NULL: such an access is over */
extern bool no_sms_uses;                          /* accesses in flight have translations */
extern uint64_t no_sms_since;                     /* of the last question whether they do */

#endif
