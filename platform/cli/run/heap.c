/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE_PAGE (2ul << 20)
#define MACHINE    (64ul << 20) /* star/w10 takes 35 MB; what does not fit has small pages */
#define OWN_MAP    (16l << 20)  /* arrays from this size on are mapped, outside of the heap */

void heap_in_large_pages(void)
{
    uintptr_t old = (uintptr_t)sbrk(0), first = (old + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
    mallopt(M_MMAP_THRESHOLD, OWN_MAP);
    mallopt(M_TRIM_THRESHOLD, (int)(2 * MACHINE));
    mallopt(M_TOP_PAD, (int)MACHINE);
    void *volatile any = malloc(LARGE_PAGE); /* extends the heap */
    free(any);
    mallopt(M_TOP_PAD, (int)LARGE_PAGE);
    uintptr_t end = (uintptr_t)sbrk(0) & ~(LARGE_PAGE - 1);
    if (end > first)
        madvise((void *)first, end - first, MADV_HUGEPAGE);
}
