/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/prefetch/prefetcher.h"

const struct mp_prefetcher mp_prefetcher_none = {
    .design = {.name = "none", .title = "no page is prefetched"},
};
