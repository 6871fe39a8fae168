/* SPDX-License-Identifier: Apache-2.0 */
/* What launches map and unmap between their kernels, and what the host accesses. */
#ifndef FW_REQUEST_H
#define FW_REQUEST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Answers all requests. A page that is to be mapped gets a frame, unless it has one or is promised, so that
 * it comes with its first access. A page that lies in a range that is unmapped loses its frame. A managed
 * page that the host is to access moves to it (uvm_host). A request for which memory is missing, or whose
 * data is lost, is refused. */
void request_service(void);

/* Since request_init: requests that were carried out, and those that were refused. */
struct request_counts {
    uint64_t mapped, unmapped, accessed, refused;
};
void request_init(void);
const struct request_counts *request_counts(unsigned asid);

#ifdef __cplusplus
}
#endif
#endif
