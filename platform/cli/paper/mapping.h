/* SPDX-License-Identifier: Apache-2.0 */
/* How the pages of an application lie in memory: its buffers are mapped as its run would map them, and
 * nothing runs. */
#ifndef MP_CLI_MAPPING_H
#define MP_CLI_MAPPING_H

#include "config/config.h"
#include "engine/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The buffers that a trace allocates before its first kernel. */
struct mapping_buffers {
    unsigned n;
    struct mapping_buffer {
        uint64_t va, bytes;
    } * buffer;
};

/* checked: a folder as of gwt_open_known, or NULL. -1 with a message. */
int mapping_read(struct mapping_buffers *b, const char *trace, const char *checked, struct mp_error *err);
void mapping_free(struct mapping_buffers *b); /* also of a structure that is all zero */

/* Regions are the longest runs of neighbouring pages whose frames are neighbours in the same order. Bin i has
 * those of 256 i + 1 to 256 (i + 1) pages, the last one also all longer ones. */
#define MAPPING_BINS      5u
#define MAPPING_BIN_PAGES 256u

struct mapping {
    uint64_t pages, contiguous; /* mapped; of these in contiguous subregions (vm/contiguity.h) */
    struct {
        uint64_t regions, pages;
    } bin[MAPPING_BINS];
};

/* Maps the buffers in their order, each with its bytes divided by `divisor`, as tenant 0 of this machine,
 * whose pages must have 4 KB. -1 with a message. */
int mapping_measure(struct mapping *m, const struct mp_config *config, const struct mapping_buffers *b,
                    uint64_t divisor, struct mp_error *err);

#ifdef __cplusplus
}
#endif
#endif
