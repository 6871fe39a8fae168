/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A second, naive model of replay subregions, written from MESC's paper and the rules of the command's help
 * alone: pages in a plain array, entries in lists that are searched from end to end, and time stamps for LRU.
 * It shares no code with the models.
 */
#ifndef MP_TB_SUBREGIONS_ORACLE_H
#define MP_TB_SUBREGIONS_ORACLE_H

#include "cli/replay/replay.h"

#define ORACLE_FRAMES 6u
#define ORACLE_PAGES  (ORACLE_FRAMES * 512u)
/* The window of virtual pages crosses the borders of tables of all levels. */
#define ORACLE_FIRST ((UINT64_C(1) << 27) - 3 * 512)

struct oracle;

struct oracle *oracle_new(const struct replay_subregions_params *p);
void oracle_free(struct oracle *o);
bool oracle_maps(const struct oracle *o, uint64_t vpn);
/* The frame and permission of a mapped page. */
uint64_t oracle_pfn(const struct oracle *o, uint64_t vpn);
bool oracle_read_only(const struct oracle *o, uint64_t vpn);
/* A stimulus that is not refused, whose pages are in the window. */
struct replay_subregions_response oracle_apply(struct oracle *o, const struct replay_subregions_stimulus *s);

#endif
