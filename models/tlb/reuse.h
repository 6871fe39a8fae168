/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reuse distance of translations (STAR Sec. IV-A): the number of different translations, of all tenants, that
 * were requested between two requests for the same one. It is measured exactly on a sample of the
 * translations, chosen by a hash of their identity, and scaled up, which keeps the distribution unbiased
 * (SHARDS, Waldspurger et al., FAST 2015).
 */
#ifndef MP_TLB_REUSE_H
#define MP_TLB_REUSE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mp_reuse;

#define MP_REUSE_NONE UINT64_MAX /* not in the sample, or requested for the first time */

/* Follows one translation in `sample`; 1: all. Returns NULL if memory runs out. */
struct mp_reuse *mp_reuse_new(uint32_t sample);
void mp_reuse_free(struct mp_reuse *r);

/* Notes a request for the translation `key`; returns its reuse distance in translations. */
uint64_t mp_reuse_touch(struct mp_reuse *r, uint64_t key);

#ifdef __cplusplus
}
#endif
#endif
