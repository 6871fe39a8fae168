/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of the GPU's memory that ECC reports. A page whose error was corrected moves to another frame, with
 * its contents. Where data or an entry is lost, the launch ends as failed, and its frame is not used any
 * more.
 */
#ifndef FW_ECC_H
#define FW_ECC_H

#ifdef __cplusplus
extern "C" {
#endif

/* Serves all reports. */
void ecc_service(void);

#ifdef __cplusplus
}
#endif
#endif
