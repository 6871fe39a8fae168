/* SPDX-License-Identifier: Apache-2.0 */
/* Records of traces that were checked, so that the same bytes are not checked again. */
#ifndef MP_TRACE_GWT_KNOWN_H
#define MP_TRACE_GWT_KNOWN_H

#include "trace/gwt_check.h"

/* Identifies a file by its bytes: neither name nor time can. XXH3 finds damage and mistakes; it is no defence
 * against a file made to have another one's hash. */
struct gwt_identity {
    uint64_t hash[2]; /* XXH3-128 of the file as stored: high half, low half */
    uint64_t bytes;
};

/* Reads the record of a file from the folder. Returns false if there is none, or if it is damaged or was
 * written under other rules of the check; totals and firsts are then unchanged. The caller frees
 * firsts->bytes. */
bool gwt_known_find(const char *folder, const struct gwt_identity *file, struct gwt_totals *totals,
                    struct gwt_firsts *firsts);

/* Writes the record, whole or not at all. A failure is not reported: the next opening checks again. */
void gwt_known_keep(const char *folder, const struct gwt_identity *file, const struct gwt_totals *totals,
                    const struct gwt_firsts *firsts);

#endif
