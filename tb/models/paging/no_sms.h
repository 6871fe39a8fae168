/* SPDX-License-Identifier: Apache-2.0 */
/* What the server of page faults asks of SMs, for tests that have none: no access waits and no translation is
 * used. */
#ifndef TB_NO_SMS_H
#define TB_NO_SMS_H

#include <stdint.h>

extern uint32_t no_sms_retried; /* pages whose accesses were to be retried */

#endif
