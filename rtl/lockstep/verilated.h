/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of every Verilated block, whatever its ports are (star_rtl.h, dws_rtl.h). */
#ifndef MP_RTL_VERILATED_H
#define MP_RTL_VERILATED_H

#include <stdint.h>

struct rtl_verilated {
    void (*close)(void *rtl);
    /* Turns into its mutant of this number, from 1, or into itself again (0), and resets. NULL if it has no
     * mutants. */
    void (*mutate)(void *rtl, unsigned mutant);
    /* Returns how it broke the rules of its ports (also in resets), which assertion failed, or how it ended;
     * NULL if nothing is wrong. The text lasts as long as the block. */
    const char *(*wrong)(const void *rtl);
    uint64_t (*clocks)(const void *rtl);              /* since the beginning */
    void (*cover)(const void *rtl, const char *file); /* writes Verilator's record of lines (lines.h) */
    /* For designs with waves: the next clocks belong to this number (of a transaction or a cycle), and their
     * waves go to this FST file, which begins with them. A NULL file ends the waves. */
    void (*waves)(void *rtl, const char *file, uint64_t number);
};

#endif
