/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's lists; the stand-in has none. */
#include "FreeRTOS.h"
