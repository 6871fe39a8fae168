/* SPDX-License-Identifier: Apache-2.0 */
/* One kernel launch while it runs: work-items as lanes of warps, their streams, and the warps' replay. */
#ifndef MP_RECORDER_LAUNCH_H
#define MP_RECORDER_LAUNCH_H

#include <signal.h>

#include "arena.h"
#include "fiber.h"
#include "progress.h"
#include "recorder.h"
#include "trace/gwt.h"

#define LANES GWT_LANES

enum lane_state { LANE_RUNS, LANE_WAITS, LANE_DONE, LANE_FAILED };

/* A lane's place in the order of replay: twice the segment that it enters next; one more than twice a loop's
 * last segment if it waits there to go back; NO_PLACE while it waits at a barrier or after its end. */
#define NO_PLACE UINT32_MAX

struct warp {
    const uint64_t *at[LANES], *end[LANES]; /* what of each lane's stream is not replayed yet */
    uint32_t place[LANES];
    uint32_t active; /* lanes that have a place */
    uint8_t state[LANES];
    uint32_t barrier[LANES]; /* the segment behind the barrier where a lane waits */
    unsigned lanes, number;
    uint64_t gap;    /* instructions since the last event */
    uint64_t issued; /* instructions in this launch */
    bool exited;
    struct log {
        uint64_t *word;
        size_t n, room;
    } log;
};

struct window { /* the buffer that an access was last seen in */
    uint64_t begin, end;
    bool only; /* an argument's: no other buffer will do */
};

/* Why a lane has failed. */
struct fault {
    const struct record_site *site; /* what its code reported; NULL: it got a signal */
    uint64_t offset, bytes;         /* out of bounds: in the array, and the array's size */
    int signal;
    bool located; /* the signal came with an address of the host: */
    uint64_t address;
};

struct launch {
    const struct record_kernel *kernel;
    const void *const *args;
    const struct arena *arena;
    struct gwt_writer *writer;
    struct record_counts *counts;
    struct fibers *fibers;
    uint64_t *stream; /* of each lane in flight: `pitch` words */
    size_t pitch;
    unsigned lanes, nwarps;
    bool logs; /* warps are interleaved by barriers: events wait in their logs until the group has ended */
    uint32_t (*local_id)[3];
    struct warp *warp;
    struct window *window;
    unsigned running; /* lane, within the group */
    bool in_lane;
    struct fault fault;
    const char *what;
    struct record_rules rules;
    struct record_array **local; /* by argument: what is in front of its array, or NULL */
    struct progress_state *progress;
    double begun;  /* the work-group: seconds */
    unsigned runs; /* of lanes, in this work-group */
};

struct device {
    const char *what;
    const struct record_module *module;
    struct gwt_writer *writer;
    struct arena arena;
    struct record_counts counts;
    struct progress_state progress;
    struct record_rules rules;
};

/* Where the lane that runs records, and the end of its room: its code moves the cursor. */
extern uint64_t *record_cursor, *record_limit;
/* Of the work-item that runs, and of its work-group. */
extern struct record_work_item record_work_item;

/* Set by a signal handler: the recording ends at the next pause of a lane. */
extern volatile sig_atomic_t record_interrupted;

/* Around the work-groups of a launch: signals of the lanes' code are caught. */
void lanes_begin(struct launch *l);
void lanes_end(void);
/* What the fiber of each lane runs. */
void lane_body(void *unused);
/* Runs lane `lane` of warp w until it pauses, and points the warp at what it recorded. */
void launch_run_lane(struct launch *l, struct warp *w, unsigned lane);
/* Ends the program with "mempath: record: WHAT: TEXT", exit code 1, and no trace file. */
__attribute__((noreturn, format(printf, 2, 3))) void record_fail(const char *what, const char *format, ...);
/* The same of work-item `item` of the work-group: "WHAT: kernel K, line N, work-item (X,Y,Z): TEXT". */
__attribute__((noreturn, format(printf, 4, 5))) void
launch_fail(const struct launch *l, unsigned item, struct record_place at, const char *format, ...);

/* Where the lane that runs, or ran last, has come to. */
struct record_place launch_place(const struct launch *l);
/* The entry of the last segment in its stream; NULL: it has not entered any since it went on. */
const uint64_t *launch_segment(const struct launch *l);
/* The buffer that an argument points into, or NULL. */
const struct buffer *launch_buffer(const struct launch *l, uint32_t argument);

enum { WHERE_TEXT = 400 };
/* "kernel K, line N, work-item (X,Y,Z)", with the file if that is another than was named. */
void launch_where(const struct launch *l, unsigned item, struct record_place at, char text[WHERE_TEXT]);

/* The end of the recording because of a lane that has failed, an access outside of the buffers (at that
 * address of the host), or work-items that have parted before a barrier. */
__attribute__((noreturn)) void fault_report(const struct launch *l, unsigned item);
__attribute__((noreturn)) void fault_access(const struct launch *l, unsigned item, uint32_t access,
                                            uint64_t address);
void fault_check_barrier(const struct launch *l);

/* Replays a warp to its next barrier or its exit; runs its lanes as far as that takes. */
void warp_begin(struct warp *w, unsigned number, unsigned lanes);
void warp_advance(struct launch *l, struct warp *w);

/* An event of the warp: to the trace, or to the warp's log. Addresses are device addresses of the active
 * lanes. */
void warp_emit(struct launch *l, struct warp *w, const struct gwt_event *event);
void warp_write_log(struct launch *l, struct warp *w);

#endif
