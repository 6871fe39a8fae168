/* SPDX-License-Identifier: Apache-2.0 */
#include "rtl/toy/lockstep/toy_cover.h"

#include <stdio.h>

static const char *const names[TOY_POINTS] = {
    [TOY_TAKE_FIRST] = "take: all are free",
    [TOY_TAKE_LAST] = "take: the last free entry",
    [TOY_TAKE_FULL] = "take: none is free",
    [TOY_GIVE_ONLY] = "give: the only taken entry",
    [TOY_GIVE_FREE] = "give: an entry that is free",
    [TOY_BOTH] = "both: two entries",
    [TOY_BOTH_FULL] = "both: none is free before",
    [TOY_BOTH_SAME] = "both: the entry that is taken",
    [TOY_NEITHER] = "neither",
    [TOY_RESET_FULL] = "reset: none is free",
};

static void met(struct toy_cover *c, enum toy_point point, bool is_met)
{
    mp_rtl_met(&c->met[point], is_met, *c->now);
}

void toy_cover_clock(struct toy_cover *c, const struct toy_rtl_clock *in, const struct toy_rtl_answer *answer,
                     const struct toy_state *before, bool reset)
{
    const bool is_entry = in->given < c->entries, full = before->used == c->entries;
    const bool takes = in->take && !full;
    const bool gives = in->give && is_entry && before->busy >> in->given & 1;
    met(c, TOY_RESET_FULL, reset && full);
    if (reset)
        return;
    met(c, TOY_TAKE_FIRST, takes && !before->used);
    met(c, TOY_TAKE_LAST, takes && before->used == c->entries - 1);
    met(c, TOY_TAKE_FULL, in->take && full && !in->give);
    met(c, TOY_GIVE_ONLY, gives && before->used == 1);
    met(c, TOY_GIVE_FREE, in->give && is_entry && !gives);
    met(c, TOY_BOTH, takes && gives);
    met(c, TOY_BOTH_FULL, in->take && full && gives);
    met(c, TOY_BOTH_SAME, takes && in->give && in->given == answer->entry);
    met(c, TOY_NEITHER, !in->take && !in->give && before->used);
    if (takes)
        mp_rtl_met(&c->taken[answer->entry], true, *c->now);
    if (gives)
        mp_rtl_met(&c->given[in->given], true, *c->now);
    mp_rtl_met(&c->used[before->used], true, *c->now);
}

bool toy_cover_point(const struct toy_cover *c, unsigned number, char name[MP_RTL_POINT_NAME],
                     struct mp_rtl_point *point)
{
    const struct {
        const char *what;
        const struct mp_rtl_point *points;
        unsigned count;
    } parts[] = {{"taken: entry", c->taken, c->entries},
                 {"given back: entry", c->given, c->entries},
                 {"entries taken", c->used, c->entries + 1}};
    if (number < TOY_POINTS) {
        snprintf(name, MP_RTL_POINT_NAME, "%s", names[number]);
        *point = c->met[number];
        return true;
    }
    number -= TOY_POINTS;
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (number < parts[i].count) {
            snprintf(name, MP_RTL_POINT_NAME, "%s: %u", parts[i].what, number);
            *point = parts[i].points[number];
            return true;
        }
        number -= parts[i].count;
    }
    return false;
}
