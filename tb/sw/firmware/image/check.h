/* SPDX-License-Identifier: Apache-2.0 */
/* An image that checks itself ends with code 2 where something does not hold. */
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
