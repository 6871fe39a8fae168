/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `mempath chase`: pointer chases on an assembled machine. */
#ifndef MP_CLI_CHASE_CHASE_H
#define MP_CLI_CHASE_CHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/cli.h"
#include "config/config.h"

#define CHASE_CURVES 16u  /* at most */
#define CHASE_LEVELS 16u  /* of TLBs and caches */
#define CHASE_FITS   8u   /* parameters that are fitted at a time */
#define CHASE_SETS   64u  /* --set */
#define CHASE_POINTS 256u /* of a curve */

struct chase_point {
    uint64_t footprint; /* bytes */
    double cycles;      /* of a load, the mean; NAN: not yet measured */
    double measured;    /* the same on a GPU, or NAN */
};

/* One thread on an SM loads at addresses that are `stride` apart, in a cycle of random order. */
struct chase_curve {
    uint64_t stride, page_bytes;
    uint32_t sm, n;
    struct chase_point point[CHASE_POINTS]; /* footprints ascend */
};

/* How far a TLB or a data cache reaches: the footprint whose translations or lines it holds. */
struct chase_level {
    char name[32];
    bool tlb;
    uint64_t pages_or_lines; /* of one block */
};

struct chase_fit {
    const char *path; /* of the parameter */
    uint64_t least, most, value;
};

struct chase {
    const char *machine;
    const char *set[CHASE_SETS];
    unsigned sets, curves, fits, levels;
    uint64_t first, last; /* footprints; 0: by the machine's caches and TLBs */
    struct chase_curve *curve;
    struct chase_level level[CHASE_LEVELS];
    struct chase_fit fit[CHASE_FITS];
    uint32_t clock_mhz;
    uint64_t line_bytes, page_bytes, memory; /* bytes of it that a chase may use */
    /* Called after each point, with the number of loads so far, for a display. */
    void (*progress)(void *context, uint64_t loads);
    void *context;
    uint64_t loads, simulated; /* loads and cycles in all */
};

/* The machine's configuration with the values of --set and of the fit. page_bytes: 0: the machine's. */
int chase_config(const struct chase *c, uint64_t page_bytes, struct mp_config *config, struct mp_error *err);
/* Reads the machine: its clock, its sizes and the reach of its levels. */
int chase_prepare(struct chase *c, struct mp_error *err);
/* Fills in a curve's footprints: four in each octave, from what a first-level cache holds a fraction of to
 * twice the reach of the last level that its stride meets. */
int chase_footprints(const struct chase *c, struct chase_curve *curve, struct mp_error *err);
/* Whether the curve is to show the level: with a stride of a page or more, lines are few and TLBs matter;
 * with a smaller one, the data caches. */
bool chase_shows(const struct chase_curve *curve, const struct chase_level *level);
/* The footprint that the level holds with this stride and these pages. */
uint64_t chase_reach(const struct chase *c, const struct chase_curve *curve, const struct chase_level *level);
/* Loads of all points of all curves, for a display. */
uint64_t chase_loads(const struct chase *c);

/* Measures all points of a curve: each is a whole cycle of loads, and then the mean of the next CHASE_TIMED
 * loads. */
#define CHASE_TIMED 32768u
int chase_measure(struct chase *c, struct chase_curve *curve, struct mp_error *err);

/* The footprints after which the latency rises. Returns their number, of at most CHASE_LEVELS. */
struct chase_knee {
    uint64_t footprint;
    double before, after; /* cycles: up to the knee, and of the next plateau or last point */
};
unsigned chase_knees(const struct chase_curve *curve, struct chase_knee knee[CHASE_LEVELS]);

/* Curves of a file of measurements: the columns stride, page_bytes, sm, footprint, cycles. */
#define CHASE_COLUMNS "stride,page_bytes,sm,footprint,cycles"
int chase_read(struct chase *c, const char *path, struct mp_error *err);
int chase_write(const struct chase *c, const char *path, struct mp_error *err);
/* The root of the mean of the squares of (ours - theirs) / theirs. */
double chase_residual(const struct chase *c);
/* Changes the values of fit[] until no change of one or two of them makes the residual less. Returns -1 with
 * err. */
int chase_fit(struct chase *c, double *before, double *after, struct mp_error *err);

/* Measures and prints the bandwidth of the machine, whose SMs all load: of streams, and of random lines, next
 * to the peak of its DRAM. The machine is prepared. */
int chase_bandwidth(const struct cli *cli, const struct chase *c, struct mp_error *err);

/* Tables or JSON on stdout. before, after: residuals, or NAN. */
void chase_print(const struct cli *cli, const struct chase *c, int64_t run, double before, double after);
/* Draws into a folder or file, as in plot.h. */
int chase_picture(const struct cli *cli, const struct chase *c, const char *output);
/* Stores the curves with a run; returns its number, or -1 with err. */
int64_t chase_record(const struct cli *cli, const struct chase *c, double seconds, struct mp_error *err);

#endif
