/* SPDX-License-Identifier: Apache-2.0 */
#include "walk/pages.h"

#include "engine/metric.h"

#define COUNTER(field, text) MP_COUNTER_OF(struct mp_walk_pages, field, "walks", text)

static const struct mp_metric metrics[] = {
    COUNTER(of_4k, "that a page of 4 KB answered"),
    COUNTER(of_64k, "that a page of 64 KB answered"),
    COUNTER(of_2m, "that a page of 2 MB answered"),
    COUNTER(of_others, "that a page of another size answered"),
};

static const struct mp_metric_table table = {"walk.pages", sizeof(struct mp_walk_pages),
                                             sizeof metrics / sizeof *metrics, metrics};

const struct mp_design mp_walk_pages = {
    .name = "pages", .title = "walks by the size of the page that answered them", .counters = &table};

void mp_walk_pages_count(struct mp_walk_pages *p, const struct mp_req *answered)
{
    if (answered->fault)
        return;
    switch (answered->page) {
    case 12:
        p->of_4k++;
        break;
    case 16:
        p->of_64k++;
        break;
    case 21:
        p->of_2m++;
        break;
    default:
        p->of_others++;
        break;
    }
}
