/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel launch: work-items as lanes of warps, their streams, and the warps' replay. */
#ifndef MP_RECORDER_LAUNCH_H
#define MP_RECORDER_LAUNCH_H

#include <signal.h>

#include "arena.h"
#include "fiber.h"
#include "progress.h"
#include "recorder.h"
#include "trace/gwt.h"

#define LANES GWT_LANES /* the most that a warp can have */

enum lane_state { LANE_RUNS, LANE_WAITS, LANE_JOINS, LANE_DONE, LANE_FAILED };

/* A lane's place in the order of replay is twice the number of the segment that it enters next. While it
 * waits to return to a loop's begin, it is one more than twice the loop's last segment. At a barrier and
 * after its end it is NO_PLACE. */
#define NO_PLACE UINT32_MAX

/* What a lane brings to a collective (collective.h), and takes from it. */
struct collective {
    uint64_t value, result;
    uint32_t what, argument;
};

struct warp {
    const uint64_t *at[LANES], *end[LANES]; /* the part of each lane's stream that is not replayed yet */
    uint32_t place[LANES];
    uint64_t active; /* mask of the lanes that have a place */
    uint8_t state[LANES];
    uint32_t barrier[LANES]; /* the segment behind the barrier or collective where a lane waits */
    unsigned lanes, number;
    uint64_t gap;    /* instructions since the last event */
    uint64_t issued; /* instructions in this launch */
    bool exited;
    struct log {
        uint64_t *word;
        size_t n, room;
    } log;
};

struct window { /* the buffer that an access used last */
    uint64_t begin, end;
    bool only; /* an argument's buffer: no other is allowed */
};

/* Why a lane failed. */
struct fault {
    const struct record_site *site; /* what its code reported; NULL if it got a signal */
    uint64_t offset, bytes;         /* out of bounds: offset in the array, and the array's size */
    int signal;
    bool located; /* the signal carried an address of the host */
    uint64_t address;
};

struct launch {
    const struct record_kernel *kernel;
    const void *const *args;
    const struct arena *arena;
    struct gwt_writer *writer;
    struct record_counts *counts;
    struct fibers *fibers;
    uint64_t *stream; /* `pitch` words for each lane in flight */
    size_t pitch;
    unsigned lanes, nwarps;
    unsigned warp_lanes; /* of a full warp: 32 or 64 */
    bool logs; /* barriers interleave the warps, so events stay in their logs until the group has ended */
    uint32_t (*local_id)[3];
    struct warp *warp;
    struct window *window;
    struct collective *collective; /* by work-item of the group */
    bool *present;                 /* of the group's work-items: takes part in the collective */
    unsigned running;              /* the running lane, numbered within the group */
    bool in_lane;
    struct fault fault;
    const char *what;
    struct record_rules rules;
    struct record_array **local; /* by argument: the structure in front of its array, or NULL */
    struct progress_state *progress;
    double begun;  /* start of the work-group, in seconds */
    unsigned runs; /* runs of lanes in this work-group */
};

struct device {
    const char *what;
    const struct record_module *module;
    struct gwt_writer *writer;
    struct arena arena;
    struct record_counts counts;
    struct progress_state progress;
    struct record_rules rules;
    unsigned warp_lanes; /* of a full warp */
    size_t shared;       /* bytes of arrays without a size */
};

/* Where the running lane records, and the end of its room. Kernel code moves the cursor. */
extern uint64_t *record_cursor, *record_limit;
/* Identifies the running work-item and its work-group. */
extern struct record_work_item record_work_item;

/* A signal handler sets it; the recording then ends at the next pause of a lane. */
extern volatile sig_atomic_t record_interrupted;

/* Called around the work-groups of a launch. In between, signals of the lanes' code are caught. */
void lanes_begin(struct launch *l);
void lanes_end(void);
/* The body of each lane's fiber. */
void lane_body(void *unused);
/* Runs lane `lane` of warp w until it pauses, and points the warp to the recorded words. */
void launch_run_lane(struct launch *l, struct warp *w, unsigned lane);
/* Ends the program with "mempath: record: WHAT: TEXT", exit code 1, and no trace file. */
__attribute__((noreturn, format(printf, 2, 3))) void record_fail(const char *what, const char *format, ...);
/* Does the same for work-item `item` of the work-group: "WHAT: kernel K, line N, work-item (X,Y,Z): TEXT". */
__attribute__((noreturn, format(printf, 4, 5))) void
launch_fail(const struct launch *l, unsigned item, struct record_place at, const char *format, ...);

/* Returns the place that the running lane, or the last one that ran, has reached. */
struct record_place launch_place(const struct launch *l);
/* Returns the entry of the last segment in its stream; NULL if it has entered none since it resumed. */
const uint64_t *launch_segment(const struct launch *l);
/* Returns the buffer that an argument points into, or NULL. */
const struct buffer *launch_buffer(const struct launch *l, uint32_t argument);

enum { WHERE_TEXT = 400 };
/* Writes "kernel K, line N, work-item (X,Y,Z)", with the file if it is not the one that the user named. */
void launch_where(const struct launch *l, unsigned item, struct record_place at, char text[WHERE_TEXT]);

/* End the recording: because of a lane that has failed, of an access outside of the buffers (address is the
 * host's), or of work-items that diverged before a barrier. */
__attribute__((noreturn)) void fault_report(const struct launch *l, unsigned item);
__attribute__((noreturn)) void fault_access(const struct launch *l, unsigned item, uint32_t access,
                                            uint64_t address);
void fault_check_barrier(const struct launch *l);

/* warp_advance replays a warp to its next barrier or its exit, and runs its lanes as far as that requires. */
void warp_begin(struct warp *w, unsigned number, unsigned lanes);
void warp_advance(struct launch *l, struct warp *w);

/* Gives all of n collectives that take part their results. They are at one place, so `what` is the same. */
void run_collective(struct collective *m, const bool *there, unsigned n);

/* Multiplies the matrices of which these lanes hold fragments; NULL: a lane that takes no part (matrix.h). */
void multiply_matrices(struct collective *const lane[32]);

/* Writes an event of the warp to the trace, or to the warp's log. Addresses are device addresses of the
 * active lanes. */
void warp_emit(struct launch *l, struct warp *w, const struct gwt_event *event);
void warp_write_log(struct launch *l, struct warp *w);

#endif
