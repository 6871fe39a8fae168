/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of the RTL: designs, figures, bounds, and the tools that measure. */
#ifndef MP_CLI_RTL_H
#define MP_CLI_RTL_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/cli.h"
#include "db/db.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The figures of a design; each is a RESULT line of a script. */
enum rtl_figure {
    RTL_ENTRY_BITS, /* bits of the TLB entry that the design works on */
    RTL_FLOPS,
    RTL_CELLS,
    RTL_AREA,   /* um2 */
    RTL_PERIOD, /* ns */
    /* With --full. */
    RTL_LCS,       /* logic cells of an iCE40 */
    RTL_LC_PERIOD, /* ns, the worst of several placements */
    RTL_CLOCKS,    /* of netlist and RTL simulated side by side */
    RTL_SMALL,     /* ns, of the small instance */
    RTL_WIRED,     /* and with the wires of its layout */
    RTL_FIGURES
};

struct rtl_figure_kind {
    const char *name, *unit;
    bool bounded, exact;
    bool full; /* measured with --full only */
};
extern const struct rtl_figure_kind rtl_figures[RTL_FIGURES];

struct rtl_values {
    bool has[RTL_FIGURES];
    double value[RTL_FIGURES];
};

struct rtl_design {
    const char *name, *top, *parameters, *list, *title; /* list: of its files, as star/mp_star_tlb */
    const char *baseline; /* of a set of a TLB: the design that it is compared with, or itself; else NULL */
    unsigned tlb_entries; /* of that TLB */
    bool full;            /* --full has more to measure */
    bool sweep;           /* only measured if it is named, or with --sweep */
    unsigned entries, tag_bits; /* of a directory; 0 otherwise */
    double bits; /* bits that the paper counts: of an entry, or of the tables; 0 if there is no number */
    double paper_overhead; /* the TLB's area overhead in the paper; 0 if there is no number */
    const char
        *small; /* parameters of an instance small enough to be placed and routed in minutes, with --full */
};
extern const struct rtl_design rtl_designs[];
extern const unsigned rtl_ndesigns;

#define RTL_MAX_DESIGNS 32u

/* ---- bounds: the file synth/bounds.csv, lines "design,figure,value" ---- */

struct rtl_bounds {
    struct rtl_values of[RTL_MAX_DESIGNS];
};

/* Parses one line. Returns 1; 0 for a comment or an empty line; -1 with err (without the place). */
int rtl_bounds_line(const char *line, struct rtl_bounds *bounds, struct mp_error *err);
int rtl_bounds_read(const char *path, struct rtl_bounds *bounds, struct mp_error *err);
/* Replaces the file. */
int rtl_bounds_write(const char *path, const struct rtl_bounds *bounds, struct mp_error *err);

/* Exact figures must be equal, others within 2 % in either direction: a design that shrinks without a reason
 * has lost something. */
enum mp_db_rtl_verdict rtl_verdict(enum rtl_figure f, double value, double bound);

/* ---- the cell library ---- */

#define RTL_CELL_NAME 128

struct rtl_library {
    const char *file;
    bool own;                                         /* the user's, of which there are no bounds */
    char driver[RTL_CELL_NAME], nand2[RTL_CELL_NAME]; /* drives the inputs; areas are counted in it */
    double load;                                      /* pF, of an output */
    /* Filled by rtl_library_read. */
    char name[RTL_CELL_NAME];
    double nand2_area; /* um2 */
    char *flops;       /* names, separated by spaces; malloc'ed */
};

/* The library that the bounds are of. */
extern const struct rtl_library rtl_library_usual;
/* Parses "driver=CELL,nand2=CELL,load=PF" into the library. */
int rtl_library_cells(const char *text, struct rtl_library *l, struct mp_error *err);
/* Reads its file: -1 and an error in one line unless it is a library in Liberty with these cells and a flop
 * that can be reset. rtl_library_text does it for a text, without the place. */
int rtl_library_read(struct rtl_library *l, struct mp_error *err);
int rtl_library_text(const char *text, size_t size, struct rtl_library *l, struct mp_error *err);

/* ---- measuring ---- */

struct rtl_job {
    const struct rtl_design *design;
    const char *rtl;    /* folder with the sources */
    const char *folder; /* folder for the tools' files */
    bool full;
    const struct rtl_library *library;
    /* Filled by rtl_measure. */
    struct rtl_values values;
    bool failed;
    struct mp_error error;
};

/* Checks that all tools are installed. */
int rtl_tools_check(bool full, bool own_library, struct mp_error *err);
/* The tools' versions, malloc'ed. */
char *rtl_tools_versions(bool full);
/* Measures the jobs in child processes, one per processor at a time; false if one failed. */
bool rtl_measure(const struct cli *cli, struct rtl_job *jobs, unsigned count);

/* ---- what follows ---- */

#define RTL_BASELINE 0u       /* of rtl_designs: STAR's */
#define RTL_L1_TLB   "l1_tlb" /* what directories are compared with */

int rtl_design_named(const char *name, size_t length); /* its index; -1: none */

/* Whether this is a design that others are compared with, and the design with which one is compared. */
bool rtl_is_baseline(const struct rtl_design *d);
const struct rtl_design *rtl_baseline_of(const struct rtl_design *d);
/* The measured job of that design, or NULL. */
const struct rtl_job *rtl_baseline_job(const struct rtl_job *jobs, unsigned count,
                                       const struct rtl_design *d);

/* Area overhead of a whole TLB compared with the baseline's: memory of the entries, with this array
 * efficiency, and logic. Both TLBs have this number of entries. */
double rtl_overhead(const struct rtl_values *variant, const struct rtl_values *baseline, unsigned entries,
                    double efficiency);
/* Overhead of an entry's bits alone. */
double rtl_bits_overhead(const struct rtl_values *variant, const struct rtl_values *baseline);
double rtl_memory(const struct rtl_values *variant, unsigned entries, double efficiency); /* um2 */
extern const double rtl_efficiency[2];
extern const char rtl_technology[], rtl_assumptions[]; /* of the usual library */

/* Draws area and period of the directories over their entries, a curve for each width of tags: measured ones,
 * and the others from their bounds, relative to the L1 TLB. Returns a cli_exit. */
int rtl_draw(const struct cli *cli, const char *folder, const struct rtl_job *jobs, unsigned count,
             const struct rtl_bounds *bounds);

/* A table of directories, if one was measured; the others from their bounds. */
void rtl_print_directories(FILE *f, const struct rtl_job *jobs, unsigned count,
                           const struct rtl_bounds *bounds);
void rtl_print(FILE *f, const struct rtl_job *jobs, unsigned count, const struct rtl_bounds *bounds,
               const char *technology);

#ifdef __cplusplus
}
#endif
#endif
