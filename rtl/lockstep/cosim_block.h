/* SPDX-License-Identifier: Apache-2.0 */
/* What the files cosim_X.c share: a lockstep of the usual functions (README.md) as `mempath cosim X` loads
 * it. A file defines how its lockstep is opened and how a stimulus becomes a transaction. It is compiled for
 * each library that has the block (rtl/block.cmake), with
 *   RTL_BLOCK          the block
 *   COSIM_MUTANTS      the folder with the list of mutants, if the design has them
 *   COSIM_MUTANTS_OF   the design that they are of */
#ifndef MP_RTL_COSIM_BLOCK_H
#define MP_RTL_COSIM_BLOCK_H

#include <stdlib.h>

#include "cli/cosim/cosim.h"
#include "rtl/lockstep/built.h"
#include "rtl/lockstep/lockstep.h"
#include "rtl/lockstep/manner.h"

#ifdef COSIM_MUTANTS
#define COSIM_MUTATE(kind)                                                                                   \
    static void mutate(void *cosim, unsigned mutant)                                                         \
    {                                                                                                        \
        kind##_lockstep_mutate(lockstep(cosim), mutant);                                                     \
    }
/* `blind` is the file's table of struct cosim_blind. */
#define COSIM_MUTANT .mutants = COSIM_MUTANTS, .design = COSIM_MUTANTS_OF, .blind = blind, .mutate = mutate,
#else
#define COSIM_MUTATE(kind)
#define COSIM_MUTANT
#endif

/* The names that depend on the block. */
#define COSIM_JOINED(a, b) a##b
#define COSIM_JOIN(a, b)   COSIM_JOINED(a, b)
#define COSIM_BUILT        COSIM_JOIN(RTL_BLOCK, _built)

extern const struct rtl_built COSIM_BUILT[];

/* The design of a session. */
static const void *built(const struct cosim_setup *setup)
{
    return rtl_built_find(COSIM_BUILT, setup->design, setup->lines);
}

/* Functions of struct cosim_rtl, for a struct cosim_kind that begins with its struct kind_lockstep. */
#define COSIM_LOCKSTEP(kind)                                                                                 \
    static struct kind##_lockstep *lockstep(const void *cosim)                                               \
    {                                                                                                        \
        return ((const struct cosim_##kind *)cosim)->lockstep;                                               \
    }                                                                                                        \
                                                                                                             \
    static bool random_block(void *cosim, uint64_t seed, uint64_t transactions,                              \
                             const volatile sig_atomic_t *stop)                                              \
    {                                                                                                        \
        return kind##_lockstep_random(lockstep(cosim), seed, transactions, stop);                            \
    }                                                                                                        \
                                                                                                             \
    static bool point(const void *cosim, unsigned number, char name[MP_RTL_POINT_NAME],                      \
                      struct mp_rtl_point *p)                                                                \
    {                                                                                                        \
        return kind##_lockstep_point(lockstep(cosim), number, name, p);                                      \
    }                                                                                                        \
                                                                                                             \
    static void steer(void *cosim, const bool *met)                                                          \
    {                                                                                                        \
        kind##_lockstep_base(lockstep(cosim))->met = met;                                                    \
    }                                                                                                        \
                                                                                                             \
    static bool lines(const void *cosim, rtl_each_line *each, void *to)                                      \
    {                                                                                                        \
        return kind##_lockstep_lines(lockstep(cosim), each, to);                                             \
    }                                                                                                        \
                                                                                                             \
    COSIM_MUTATE(kind)

/* The same, and struct cosim_kind itself, for locksteps to which nothing is added. */
#define COSIM_BLOCK(kind)                                                                                    \
    struct cosim_##kind {                                                                                    \
        struct kind##_lockstep *lockstep; /* first, for rtl_view_*() */                                      \
        struct rtl_manner manner;         /* how the next stimulus of a file is driven */                    \
    };                                                                                                       \
                                                                                                             \
    COSIM_LOCKSTEP(kind)                                                                                     \
                                                                                                             \
    static void close_block(void *cosim)                                                                     \
    {                                                                                                        \
        kind##_lockstep_free(lockstep(cosim));                                                               \
        free(cosim);                                                                                         \
    }                                                                                                        \
                                                                                                             \
    /* Takes the lockstep over. Returns NULL if memory has run out, here or before (l is NULL). */           \
    static void *open_block(struct kind##_lockstep *l, const struct cosim_setup *setup)                      \
    {                                                                                                        \
        struct cosim_##kind *c = l ? calloc(1, sizeof *c) : NULL;                                            \
        if (!c) {                                                                                            \
            kind##_lockstep_free(l);                                                                         \
            return NULL;                                                                                     \
        }                                                                                                    \
        c->lockstep = l;                                                                                     \
        c->manner = rtl_manner_of(setup->seed);                                                              \
        rtl_lockstep_session(kind##_lockstep_base(l), setup->first, &setup->waves, setup->pulse);            \
        return c;                                                                                            \
    }                                                                                                        \
                                                                                                             \
    static void report(const void *cosim, FILE *out, bool full)                                              \
    {                                                                                                        \
        kind##_lockstep_report(lockstep(cosim), out, full);                                                  \
    }

/* Defines what the program loads, with these functions and others. */
#define COSIM_EXPORT(...)                                                                                    \
    extern const struct cosim_rtl COSIM_JOIN(mempath_cosim_, RTL_BLOCK);                                     \
    const struct cosim_rtl COSIM_JOIN(mempath_cosim_, RTL_BLOCK) = {COSIM_RTL, COSIM_MUTANT __VA_ARGS__}
#define COSIM_RTL                                                                                            \
    .interface = MP_RTL_INTERFACE, .tools = VERILATOR_VERSION, .random = random_block, .steer = steer,       \
    .view = {.close = close_block,                                                                           \
             .transactions = rtl_view_transactions,                                                          \
             .clocks = rtl_view_clocks,                                                                      \
             .difference = rtl_view_difference,                                                              \
             .report = report,                                                                               \
             .point = point,                                                                                 \
             .resets = rtl_view_resets,                                                                      \
             .broken = rtl_view_broken,                                                                      \
             .lines = lines}

#endif
