/* SPDX-License-Identifier: Apache-2.0 */
/* The image's default job: three tenants on 3g + 2g + 2g, once with the machine's L3 TLB without sharing and
 * once with STAR. */
#ifndef FW_JOB_H
#define FW_JOB_H

#include "error.h"

enum fw_error job_run(void);

#endif
