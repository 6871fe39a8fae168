/* SPDX-License-Identifier: Apache-2.0 */
/* Ends what hangs: an instance whose launches issue no instruction and complete no access for several periods
 * begins its page walks again, then its launch is stopped. */
#ifndef FW_WATCHDOG_H
#define FW_WATCHDOG_H

#ifdef __cplusplus
extern "C" {
#endif

void watchdog_init(void);
/* Looks at all instances if a period is over. Returns those, a bit each, whose launch does not even end when
 * it is stopped. */
unsigned watchdog_look(void);

#ifdef __cplusplus
}
#endif
#endif
