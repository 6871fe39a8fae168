/* SPDX-License-Identifier: Apache-2.0 */
/* For images that check themselves: a failed check ends the run with code 2. */
#ifndef CHECK_H
#define CHECK_H

#include "cpu.h"
#include "print.h"

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            print("line %d: %s\n", __LINE__, #condition);                                                    \
            cpu_finish(2);                                                                                   \
        }                                                                                                    \
    } while (0)

#endif
