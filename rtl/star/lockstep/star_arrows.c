/* SPDX-License-Identifier: Apache-2.0 */
/* The state machine of an entry: every arrow that the rules of STAR allow, by mode. */
#include <stddef.h>
#include <stdio.h>

#include "rtl/star/lockstep/star_arrows.h"

enum { M0 = 1, M1 = 2, M2 = 4, SHARING = M1 | M2, ALL = M0 | SHARING };
enum { V = STAR_VACANT, N = STAR_ALONE, Q = STAR_TWO_SEQUENTIAL, T = STAR_TWO_STRIDE };
enum { Q4 = STAR_FOUR_SEQUENTIAL, T4 = STAR_FOUR_STRIDE };

static const struct arrow {
    uint8_t modes, event, from, to;
} arrows[] = {
    {ALL, STAR_RTL_VACANT, V, N},
    {ALL, STAR_RTL_UPDATE, N, N},
    {SHARING, STAR_RTL_UPDATE, Q, Q},
    {SHARING, STAR_RTL_UPDATE, T, T},
    {M2, STAR_RTL_UPDATE, Q4, Q4},
    {M2, STAR_RTL_UPDATE, T4, T4},
    {SHARING, STAR_RTL_REPLACE, Q, Q},
    {SHARING, STAR_RTL_REPLACE, T, T},
    {M2, STAR_RTL_REPLACE, Q4, Q4},
    {M2, STAR_RTL_REPLACE, T4, T4},
    {SHARING, STAR_RTL_SHARE_SEQUENTIAL, N, Q},
    {SHARING, STAR_RTL_SHARE_STRIDE, N, T},
    {M2, STAR_RTL_SHARE4, Q, Q4},
    {M2, STAR_RTL_SHARE4, T, T4},
    {M2, STAR_RTL_SHARE4, Q4, Q4},
    {M2, STAR_RTL_SHARE4, T4, T4},
    {SHARING, STAR_RTL_REVERT, Q, N},
    {SHARING, STAR_RTL_REVERT, T, N},
    {M2, STAR_RTL_REVERT4, Q4, Q},
    {M2, STAR_RTL_REVERT4, T4, T},
    {ALL, STAR_RTL_EVICT, N, N},
    {SHARING, STAR_RTL_EVICT, Q, N},
    {SHARING, STAR_RTL_EVICT, T, N},
    {M2, STAR_RTL_EVICT, Q4, N},
    {M2, STAR_RTL_EVICT, T4, N},
    {ALL, STAR_EVENT_PAGE, V, V}, /* the page was not there */
    {ALL, STAR_EVENT_PAGE, N, N},
    {ALL, STAR_EVENT_PAGE, N, V},
    {SHARING, STAR_EVENT_PAGE, Q, Q},
    {SHARING, STAR_EVENT_PAGE, Q, N},
    {SHARING, STAR_EVENT_PAGE, T, T},
    {SHARING, STAR_EVENT_PAGE, T, N},
    {M2, STAR_EVENT_PAGE, Q4, Q4},
    {M2, STAR_EVENT_PAGE, Q4, N},
    {M2, STAR_EVENT_PAGE, T4, T4},
    {M2, STAR_EVENT_PAGE, T4, N},
    {ALL, STAR_EVENT_ASID, N, V},
    {SHARING, STAR_EVENT_ASID, Q, N},
    {SHARING, STAR_EVENT_ASID, Q, V},
    {SHARING, STAR_EVENT_ASID, T, N},
    {SHARING, STAR_EVENT_ASID, T, V},
    {M2, STAR_EVENT_ASID, Q4, Q4},
    {M2, STAR_EVENT_ASID, Q4, N},
    {M2, STAR_EVENT_ASID, Q4, V},
    {M2, STAR_EVENT_ASID, T4, T4},
    {M2, STAR_EVENT_ASID, T4, N},
    {M2, STAR_EVENT_ASID, T4, V},
    {ALL, STAR_EVENT_ALL, N, V},
    {SHARING, STAR_EVENT_ALL, Q, V},
    {SHARING, STAR_EVENT_ALL, T, V},
    {M2, STAR_EVENT_ALL, Q4, V},
    {M2, STAR_EVENT_ALL, T4, V},
    /* For lookups, `to` is the base's position, or the reason for a miss. */
    {ALL, STAR_RTL_HIT, N, 0},
    {SHARING, STAR_RTL_HIT, Q, 0},
    {SHARING, STAR_RTL_HIT, Q, 1},
    {SHARING, STAR_RTL_HIT, T, 0},
    {SHARING, STAR_RTL_HIT, T, 1},
    {M2, STAR_RTL_HIT, Q4, 0},
    {M2, STAR_RTL_HIT, Q4, 1},
    {M2, STAR_RTL_HIT, Q4, 2},
    {M2, STAR_RTL_HIT, Q4, 3},
    {M2, STAR_RTL_HIT, T4, 0},
    {M2, STAR_RTL_HIT, T4, 1},
    {M2, STAR_RTL_HIT, T4, 2},
    {M2, STAR_RTL_HIT, T4, 3},
    {ALL, STAR_RTL_MISS, V, 0}, /* no such base; to is the highest position that was compared */
    {SHARING, STAR_RTL_MISS, V, 1},
    {M2, STAR_RTL_MISS, V, 2},
    {M2, STAR_RTL_MISS, V, 3},
    {ALL, STAR_RTL_MISS, N, STAR_SLOT_EMPTY},
    {SHARING, STAR_RTL_MISS, Q, STAR_SLOT_EMPTY},
    {SHARING, STAR_RTL_MISS, T, STAR_SLOT_EMPTY},
    {M2, STAR_RTL_MISS, Q4, STAR_SLOT_EMPTY},
    {M2, STAR_RTL_MISS, T4, STAR_SLOT_EMPTY},
    {SHARING, STAR_RTL_MISS, Q, STAR_SLOT_OTHERS},
    {SHARING, STAR_RTL_MISS, T, STAR_SLOT_OTHERS},
    {M2, STAR_RTL_MISS, Q4, STAR_SLOT_OTHERS},
    {M2, STAR_RTL_MISS, T4, STAR_SLOT_OTHERS},
};
#define ARROWS (sizeof arrows / sizeof *arrows)

static uint32_t place_of(uint32_t event, uint32_t from, uint32_t to)
{
    return (event * STAR_ENTRIES + from) * STAR_TARGETS + to;
}

static bool lookup(uint32_t event)
{
    return event == STAR_RTL_HIT || event == STAR_RTL_MISS;
}

/* Whether an arrow begins or ends at this entry. Those of lookups end at no entry. */
static bool touches(const struct arrow *r, uint8_t entry)
{
    return r->from == entry || (!lookup(r->event) && r->to == entry);
}

/* Whether the mode and the policy allow the arrow. Some policies allow only one layout for two bases. */
static bool possible(const struct arrow *r, unsigned mode, enum star_rtl_policy policy)
{
    return r->modes >> mode & 1 && !(mode == 1 && policy == STAR_RTL_SEQUENTIAL && touches(r, T)) &&
           !(mode == 1 && policy == STAR_RTL_STRIDE && touches(r, Q));
}

void star_arrows_init(struct star_arrows *a, unsigned mode, enum star_rtl_policy policy)
{
    *a = (struct star_arrows){.now = a->now};
    for (uint32_t i = 0; i < ARROWS; i++)
        if (possible(&arrows[i], mode, policy)) {
            a->allowed[place_of(arrows[i].event, arrows[i].from, arrows[i].to)] = true;
            a->count++;
        }
}

unsigned star_arrows_count(const struct star_arrows *a)
{
    return a->count;
}

bool star_arrows_take(struct star_arrows *a, uint32_t event, uint32_t from, uint32_t to)
{
    uint32_t place = place_of(event, from, to);
    mp_rtl_met(&a->taken[place], true, *a->now);
    return a->allowed[place];
}

void star_arrows_name(uint32_t event, uint32_t from, uint32_t to, char name[STAR_ARROW_NAME])
{
    static const char *const others[STAR_EVENTS] = {
        /* events other than insertions, which star_lockstep_inserted names */
        [STAR_RTL_MISS] = "miss",
        [STAR_RTL_HIT] = "hit",
        [STAR_EVENT_PAGE] = "invalidate page",
        [STAR_EVENT_ASID] = "invalidate asid",
        [STAR_EVENT_ALL] = "invalidate all",
    };
    static const char *const entries[] = {[V] = "none",   [N] = "alone",        [Q] = "sequential",
                                          [T] = "stride", [Q4] = "sequential4", [T4] = "stride4"};
    static const char *const found[STAR_TARGETS] = {"base 0", "base 1",     "base 2",
                                                    "base 3", "slot empty", "slot another index's"};
    const char *what = others[event] ? others[event] : star_lockstep_inserted((uint8_t)event);
    snprintf(name, STAR_ARROW_NAME, lookup(event) ? "%s: %s, %s" : "%s: %s to %s", what, entries[from],
             lookup(event) ? found[to] : entries[to]);
}

bool star_arrows_get(const struct star_arrows *a, unsigned number, char name[STAR_ARROW_NAME],
                     struct mp_rtl_point *point)
{
    for (uint32_t i = 0; i < ARROWS; i++) {
        const struct arrow *r = &arrows[i];
        uint32_t place = place_of(r->event, r->from, r->to);
        if (!a->allowed[place] || number--)
            continue;
        star_arrows_name(r->event, r->from, r->to, name);
        *point = a->taken[place];
        return true;
    }
    return false;
}
