/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bandwidth of the link to the host, which lines (host.h) and copies (paging/paging.h) share by
 * direction. Lines follow each other, and so do copies. While a copy is in progress, a line first takes time
 * of the link that the copy leaves unused, as it is slower than the link, or has not begun to send; else a
 * line and a part of the copy that is as long take turns, so that both have half of the bandwidth.
 *
 * Times are in 65536ths of a cycle.
 */
#ifndef MP_HOST_LINK_H
#define MP_HOST_LINK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MP_HOST_CYCLE 65536u

struct mp_host_way {        /* a direction; zeroed, it is free */
    uint64_t lines;         /* until when it has lines that were accepted */
    uint64_t begin, copies; /* from when until when it has copies */
    uint64_t gaps;          /* of these, what copies leave unused and lines have not taken */
    uint64_t delay; /* by which lines have delayed copies, sum: it moves the end of those in progress */
};

struct mp_host_link {
    struct mp_host_way in, out; /* from the host, to the host */
};

/* By how many cycles, rounded up, copies in progress end later than was known when *delay was the way's,
 * which it is again then. */
static inline uint64_t mp_host_delayed(const struct mp_host_way *w, uint64_t *delay)
{
    const uint64_t more = w->delay - *delay;
    *delay = w->delay;
    return (more + MP_HOST_CYCLE - 1) / MP_HOST_CYCLE;
}

/* A line that takes so long on an idle link. Returns when it has passed. */
uint64_t mp_host_send_line(struct mp_host_way *w, uint64_t now, uint32_t line);

/* A copy that does not begin before `from` and takes so long without lines, of which its bytes take `wire` of
 * the link. Returns when it ends, if no line delays it. */
uint64_t mp_host_send_copy(struct mp_host_way *w, uint64_t now, uint64_t from, uint64_t takes, uint64_t wire);

#ifdef __cplusplus
}
#endif
#endif
