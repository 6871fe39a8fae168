/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Eight processes fault pages. In each step a random one of them faults some pages, until it has all its
 * pages, whose number is geometric; then it only holds them, and a new process begins. Whenever the processes
 * hold the target together, a random one, except the one that faults, exits. It ends after four times the
 * target.
 */
#include "vm/frames/hog.h"

#include <stdlib.h>

#define FAULTING  8u     /* processes at a time */
#define MOST_MEAN 16384u /* pages of a process, on average */
#define NO_PAGE   UINT32_MAX

struct process {
    uint32_t first; /* of its pages, a list through hog.next */
    uint64_t pages;
};

struct hog {
    struct mp_free_blocks *free;
    uint64_t random, held, target, mean;
    uint32_t *next;
    struct process *process; /* those that fault first */
    uint64_t processes, room;
};

/* splitmix64, below a bound. */
static uint64_t draw(struct hog *h, uint64_t bound)
{
    uint64_t z = h->random += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return (z ^ z >> 31) % bound;
}

static void exit_process(struct hog *h, uint64_t i)
{
    struct process *p = &h->process[i];
    for (uint32_t page = p->first; page != NO_PAGE; page = h->next[page])
        mp_free_blocks_give(h->free, 0, page);
    h->held -= p->pages;
    if (i >= FAULTING)
        *p = h->process[--h->processes];
    else
        *p = (struct process){.first = NO_PAGE};
}

/* Others exit until the target is no longer reached, or the one that faults holds all pages. */
static void make_room(struct hog *h, uint64_t faulting)
{
    while (h->held >= h->target && h->held > h->process[faulting].pages) {
        uint64_t i = draw(h, h->processes - 1);
        exit_process(h, i + (i >= faulting));
    }
}

/* The process has all its pages, and a new one faults in its place. */
static int settle(struct hog *h, uint64_t i)
{
    if (h->processes == h->room) {
        struct process *more = realloc(h->process, 2 * h->room * sizeof *more);
        if (!more)
            return -1;
        h->process = more;
        h->room *= 2;
    }
    h->process[h->processes++] = h->process[i];
    h->process[i] = (struct process){.first = NO_PAGE};
    return 0;
}

static void fault(struct hog *h, uint64_t i)
{
    uint64_t page = 0;
    mp_free_blocks_take(h->free, 0, &page); /* the target is less than the memory */
    h->next[page] = h->process[i].first;
    h->process[i].first = (uint32_t)page;
    h->process[i].pages++;
    h->held++;
    make_room(h, i);
}

static int run(struct hog *h, uint64_t turn)
{
    for (uint64_t faults = 0; faults < 4 * h->target;) {
        uint64_t i = draw(h, FAULTING);
        bool done = false;
        for (uint64_t n = 0; n < turn && !done && faults < 4 * h->target; n++, faults++) {
            fault(h, i);
            done = draw(h, h->mean) == 0; /* so that the number of pages is geometric */
        }
        if (done && settle(h, i))
            return -1;
    }
    return 0;
}

int mp_hog_age(struct mp_free_blocks *f, uint8_t *held, const struct mp_hog_params *p)
{
    struct hog h = {.free = f, .random = p->seed, .target = f->pages * p->percent / 100, .room = 1024};
    h.mean = h.target / 16 < MOST_MEAN ? h.target / 16 : MOST_MEAN;
    if (!h.mean)
        return 0; /* there is no history */
    h.processes = FAULTING;
    h.next = malloc(f->pages * sizeof *h.next);
    h.process = malloc(h.room * sizeof *h.process);
    int status = h.next && h.process ? 0 : -1;
    for (uint64_t i = 0; !status && i < FAULTING; i++)
        h.process[i] = (struct process){.first = NO_PAGE};
    if (!status)
        status = run(&h, p->turn);
    for (uint64_t i = 0; !status && i < h.processes; i++)
        for (uint32_t page = h.process[i].first; page != NO_PAGE; page = h.next[page])
            held[page] = 1;
    free(h.next);
    free(h.process);
    return status;
}
