/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitrary text as a model's policy (first line) and parameters (the rest): it is refused with one line
 * that says where the error is, what is wrong and what is allowed, or it yields a model that works. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dpi/mempath_models.h"

static void require(int truth)
{
    if (!truth)
        abort();
}

static void well_told(const char *error)
{
    require(strstr(error, ": ") && strstr(error, "; ") && !strchr(error, '\n') && strlen(error) < 500);
}

static void use_tlb(void *tlb)
{
    const char *action;
    unsigned long long pfn;
    unsigned way, lost, cycles;
    require(mempath_tlb_insert(tlb, 0, 5, 6, &action, &way, &lost) == 0);
    require(mempath_tlb_lookup(tlb, 0, 5, &pfn, &cycles) == 1 && pfn == 6);
    require(mempath_tlb_invalidate_all(tlb) == 1);
}

static void use_walks(void *walks)
{
    unsigned long long id;
    int walker = mempath_walks_arrive(walks, 0, 1);
    require(walker >= 0);
    require(mempath_walks_complete(walks, (unsigned)walker, &id) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char policy[256], rest[256];
    const uint8_t *end = memchr(data, '\n', size);
    size_t n = end ? (size_t)(end - data) : size, m = end ? size - n - 1 : 0;
    if (n >= sizeof policy || m >= sizeof rest)
        return 0;
    memcpy(policy, data, n);
    policy[n] = 0;
    if (m)
        memcpy(rest, end + 1, m);
    rest[m] = 0;
    void *tlb = mempath_tlb_new(policy, rest);
    if (tlb)
        use_tlb(tlb);
    else
        well_told(mempath_error());
    void *walks = mempath_walks_new(policy, rest);
    if (walks)
        use_walks(walks);
    else
        well_told(mempath_error());
    if (tlb)
        require(mempath_destroy(tlb) == 0);
    if (walks)
        require(mempath_destroy(walks) == 0);
    return 0;
}
