/* SPDX-License-Identifier: Apache-2.0 */
#include "tlb/neighbour/neighbour.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/tenant.h"

char mp_neighbour_update_names[MP_DESIGN_NAMES] = "default|exclusive|twice|twice-entry";

const struct mp_design_param mp_neighbour_parameters[] = {
    [MP_NEIGHBOUR_UPDATE] = {".update", NULL, mp_neighbour_update_names, 0, 0, 3 + MP_DESIGN_ROOM,
                             "NeiDty III-C",
                             "whether a TLB stores a neighbour's answer: always, never, the second of two in "
                             "a row, or (neidty) the second that an entry of the directory led to",
                             0},
    [MP_NEIGHBOUR_DIRECTORY] = {".directory", "entries", NULL, 32, 1, MP_DIRECTORY_MOST, "NeiDty III-B",
                                "neidty: entries of each directory", 0},
    [MP_NEIGHBOUR_TAG_BITS] = {".tag_bits", "bits", NULL, 18, MP_TAG_LEAST, MP_TAG_MOST, "NeiDty III-B",
                               "neidty: bits to which a directory hashes a page", 0},
    [MP_NEIGHBOUR_HOP] = {".hop", "cycles", NULL, 1, 0, 10000, "NeiDty IV-A",
                          "one way from a TLB to the next, of probes, answers and messages", 0},
    [MP_NEIGHBOUR_BUFFER] = {".buffer", "probes", NULL, 2, 1, 65535, "NeiDty III-B",
                             "direct, neidty: probes that a TLB may have in flight to one neighbour", 0},
    [MP_NEIGHBOUR_GROUP] = {".group", "TLBs", NULL, 4, 2, MP_PEERS_MOST + 1, "mempath",
                            "ring: TLBs that ask each other; "
                            "as many as a shader array of Valkyrie's simulator has",
                            0},
    [MP_NEIGHBOUR_TOPOLOGY] = {".topology", NULL, MP_TOPOLOGIES, 0, 0, 3, "NeiDty III-B",
                               "direct, neidty: which TLBs are neighbours: a ring; pairs (of a TPC with two "
                               "SMs); a ring of each half; a mesh, with up to four neighbours",
                               0},
    {0},
};

#define COUNTER(field, unit, text) MP_COUNTER_OF(struct mp_neighbour_stats, field, unit, text)

static const struct mp_metric metrics[] = {
    COUNTER(local, "requests", "answered from the TLB's own array"),
    COUNTER(left, "requests", "answered by the left neighbour, or waiting for its answer"),
    COUNTER(right, "requests", "answered by another TLB of the level, or waiting for its answer"),
    COUNTER(below, "requests", "answered by a TLB of a level below"),
    COUNTER(walked, "requests", "answered by a page walk"),
    COUNTER(latency, "cycles", "from arrival to answer, summed over requests"),
    COUNTER(probes, "probes", "sent to other TLBs"),
    COUNTER(in_vain, "probes", "to TLBs that did not have the page"),
    COUNTER(no_room, "misses", "for which no TLB was asked, since too many probes were in flight"),
    COUNTER(loads, "translations", "stored that another TLB has answered"),
    {"allocated_free", "entries", "of the directory that were allocated where one was free", MP_COUNTER,
     offsetof(struct mp_neighbour_stats, allocated[MP_VICTIM_NONE]), 0},
    {"evicted_local", "entries", "of the directory that left for another, as the TLB itself held the page",
     MP_COUNTER, offsetof(struct mp_neighbour_stats, allocated[MP_VICTIM_LOCAL]), 0},
    {"evicted_oldest", "entries", "of the directory that left for another as the oldest", MP_COUNTER,
     offsetof(struct mp_neighbour_stats, allocated[MP_VICTIM_OLDEST]), 0},
    COUNTER(missed, "requests", "stats.sharing: not in the TLB's own array when they came"),
    COUNTER(neighbour_has, "requests", "of them for pages that a neighbour had"),
    COUNTER(peer_has, "requests", "of them for pages that a TLB had which the policy may ask"),
    {"sharers", "TLBs",
     "stats.sharing: that had the page when a request for it came, the TLB itself included",
     MP_HISTOGRAM_LINEAR, offsetof(struct mp_neighbour_stats, sharers), MP_SHARERS + 1},
};

const struct mp_metric_table mp_neighbour_metrics = {"neighbours", sizeof(struct mp_neighbour_stats),
                                                     sizeof metrics / sizeof *metrics, metrics};

int mp_neighbour_check(const struct mp_neighbour_policy *policy, const struct mp_design_values *values,
                       struct mp_error *err)
{
    if (mp_design_check(&policy->design, values, err))
        return -1;
    const struct mp_neighbour_update *update = mp_neighbour_updates[values->v[MP_NEIGHBOUR_UPDATE]];
    if (update->needs_directory && !policy->has_directory)
        return mp_fail(err, "update: %s needs a directory, which %s has not; default, exclusive or twice",
                       update->design.name, policy->design.name);
    if (values->v[MP_NEIGHBOUR_TOPOLOGY] && policy->peers == MP_PEERS_GROUP)
        return mp_fail(err, "topology: %s asks the TLBs of a group, whatever the topology; ring",
                       policy->design.name);
    return 0;
}

/* ---- peers ---- */

static const struct mp_topology *topology_of(const struct mp_design_values *values)
{
    return mp_topologies[values->v[MP_NEIGHBOUR_TOPOLOGY]];
}

uint32_t mp_neighbour_least(const struct mp_neighbour_policy *policy, const struct mp_design_values *values)
{
    return policy->peers == MP_PEERS_NONE    ? 0
           : policy->peers == MP_PEERS_SIDES ? topology_of(values)->least
                                             : MP_NEIGHBOURS_LEAST;
}

uint32_t mp_neighbour_neighbours(const struct mp_design_values *values, uint32_t i, uint32_t n,
                                 uint32_t list[MP_SIDES])
{
    uint32_t at[MP_SIDES], count = 0;
    topology_of(values)->neighbours(i, n, at);
    for (unsigned side = 0; side < MP_SIDES; side++)
        if (at[side] != MP_NO_PLACE)
            list[count++] = at[side];
    return count;
}

uint32_t mp_neighbour_peers(const struct mp_neighbour_policy *policy, const struct mp_design_values *values,
                            uint32_t i, uint32_t n, uint32_t list[MP_PEERS_MOST])
{
    if (policy->peers == MP_PEERS_NONE)
        return 0;
    if (policy->peers == MP_PEERS_SIDES)
        return mp_neighbour_neighbours(values, i, n, list);
    uint32_t group = (uint32_t)values->v[MP_NEIGHBOUR_GROUP], first = i - i % group;
    uint32_t members = n - first < group ? n - first : group;
    for (uint32_t d = 1; d < members; d++)
        list[d - 1] = first + (i - first + d) % members;
    return members - 1;
}

/* There and back is one round of two TLBs. */
uint64_t mp_neighbour_cycles(const struct mp_neighbour *n, uint32_t latency, uint32_t hop, uint32_t asked)
{
    uint32_t round = n->policy->peers == MP_PEERS_GROUP ? n->peers + 1 : 2;
    return latency + (uint64_t)asked * latency + (uint64_t)round * hop;
}

static const struct mp_neighbour_keeper model;

static void set_bits(struct mp_neighbour *n, const struct mp_topology *topology, uint32_t i, uint32_t tlbs)
{
    static const uint8_t bit[MP_SIDES] = {MP_DIRECTORY_LEFT, MP_DIRECTORY_RIGHT, MP_DIRECTORY_UP,
                                          MP_DIRECTORY_DOWN};
    uint32_t at[MP_SIDES], peer = 0;
    topology->neighbours(i, tlbs, at);
    for (unsigned side = 0; side < MP_SIDES; side++)
        if (at[side] != MP_NO_PLACE)
            n->bit_of[peer++] = bit[side];
}

int mp_neighbour_init(struct mp_neighbour *n, const struct mp_neighbour_policy *policy,
                      const struct mp_design_values *values, uint32_t i, uint32_t tlbs, uint32_t tenants)
{
    uint32_t list[MP_PEERS_MOST];
    *n = (struct mp_neighbour){.policy = policy,
                               .update = mp_neighbour_updates[values->v[MP_NEIGHBOUR_UPDATE]],
                               .hop = (uint32_t)values->v[MP_NEIGHBOUR_HOP],
                               .buffer = (uint32_t)values->v[MP_NEIGHBOUR_BUFFER],
                               .peers = mp_neighbour_peers(policy, values, i, tlbs, list),
                               .stats = calloc(tenants, sizeof *n->stats)};
    if (policy->peers == MP_PEERS_SIDES)
        set_bits(n, topology_of(values), i, tlbs);
    bool failed = !n->stats;
    if (policy->has_directory) {
        n->keeper = &model;
        n->directory = calloc(1, sizeof *n->directory);
        failed = failed || !n->directory ||
                 mp_directory_init(n->directory, (uint32_t)values->v[MP_NEIGHBOUR_DIRECTORY],
                                   (uint32_t)values->v[MP_NEIGHBOUR_TAG_BITS]);
    }
    if (failed)
        mp_neighbour_free(n);
    return failed ? -1 : 0;
}

void mp_neighbour_free(struct mp_neighbour *n)
{
    if (n->directory)
        mp_directory_free(n->directory);
    free(n->directory);
    for (unsigned peer = 0; peer < MP_SIDES; peer++)
        free(n->mail[peer].news);
    free(n->stats);
    *n = (struct mp_neighbour){0};
}

/* ---- what the directory learns ---- */

static uint64_t tag_of(const struct mp_neighbour *n, struct mp_neighbour_page page)
{
    return mp_directory_tag(n->directory->tag_bits, page.asid, page.vpn >> n->base_shift);
}

struct mp_directory_entry *mp_neighbour_entry(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn)
{
    return mp_directory_find(n->directory, tag_of(n, (struct mp_neighbour_page){vpn, asid}));
}

static uint8_t named(const struct mp_neighbour *n, struct mp_neighbour_page page)
{
    const struct mp_directory_entry *e = mp_directory_find(n->directory, tag_of(n, page));
    return e ? e->bits & MP_DIRECTORY_NEIGHBOURS : 0;
}

static void changed(struct mp_neighbour *n, struct mp_neighbour_page page, bool inserted)
{
    mp_directory_set_local(n->directory, tag_of(n, page), inserted);
}

static enum mp_directory_victim heard(struct mp_neighbour *n, uint8_t side, struct mp_neighbour_page page,
                                      bool inserted)
{
    struct mp_directory *d = n->directory;
    uint64_t tag = tag_of(n, page);
    if (!inserted) {
        mp_directory_clear(d, tag, side);
        return MP_VICTIMS;
    }
    struct mp_directory_entry *e = mp_directory_find(d, tag);
    if (e) {
        e->bits |= side;
        return MP_VICTIMS;
    }
    bool local = n->holds(n->tlb, page.asid, page.vpn);
    return mp_directory_allocate(d, tag, (uint8_t)(side | (local ? MP_DIRECTORY_LOCAL : 0)));
}

static void drop(struct mp_neighbour *n, struct mp_neighbour_page page)
{
    mp_directory_drop(n->directory, tag_of(n, page));
}

static void empty(struct mp_neighbour *n)
{
    mp_directory_empty(n->directory);
}

static const struct mp_neighbour_keeper model = {named, changed, heard, drop, empty};

uint8_t mp_neighbour_named(const struct mp_neighbour *n, uint16_t asid, uint64_t vpn)
{
    return n->keeper->named(n, (struct mp_neighbour_page){vpn, asid});
}

static void take_in(struct mp_neighbour *n, uint8_t side, const struct mp_neighbour_news *news)
{
    enum mp_directory_victim victim = n->keeper->heard(n, side, news->page, news->inserted);
    if (victim != MP_VICTIMS)
        n->stats[news->tenant].allocated[victim]++;
}

static const struct mp_neighbour_news *head_of(const struct mp_neighbour_mail *mail)
{
    return mail->count ? &mail->news[mail->first] : NULL;
}

/* The peer whose message is the next one; there is one. Of one cycle, those of the first peer are before
 * those of the next: left's before right's. */
static unsigned next_peer(const struct mp_neighbour *n)
{
    unsigned next = MP_SIDES;
    for (unsigned peer = 0; peer < MP_SIDES; peer++) {
        const struct mp_neighbour_news *head = head_of(&n->mail[peer]);
        if (head && (next == MP_SIDES || head->due < head_of(&n->mail[next])->due))
            next = peer;
    }
    return next;
}

void mp_neighbour_settle(struct mp_neighbour *n, uint64_t now)
{
    while (n->waiting) {
        unsigned peer = next_peer(n);
        struct mp_neighbour_mail *mail = &n->mail[peer];
        if (head_of(mail)->due > now)
            return;
        take_in(n, n->bit_of[peer], head_of(mail));
        mail->first = (mail->first + 1) & (mail->room - 1);
        mail->count--;
        n->waiting--;
    }
}

static void grow(struct mp_neighbour_mail *mail)
{
    uint32_t room = mail->room ? 2 * mail->room : 16;
    struct mp_neighbour_news *news = malloc(room * sizeof *news);
    if (!news) {
        fputs("mempath: tlb: out of memory for messages\n", stderr);
        abort();
    }
    for (uint32_t i = 0; i < mail->count; i++)
        news[i] = mail->news[(mail->first + i) & (mail->room - 1)];
    free(mail->news);
    *mail = (struct mp_neighbour_mail){news, 0, mail->count, room};
}

/* Messages that are due are taken in first, so that only messages of the last `hop` cycles need room. With a
 * hop of at least one cycle, all messages that are due now have been sent. */
void mp_neighbour_hear(struct mp_neighbour *n, uint32_t peer, uint64_t now, uint8_t tenant,
                       struct mp_neighbour_page page, bool inserted)
{
    struct mp_neighbour_mail *mail = &n->mail[peer];
    if (!n->directory)
        return;
    mp_neighbour_settle(n, now);
    if (mail->count == mail->room)
        grow(mail);
    mail->news[(mail->first + mail->count++) & (mail->room - 1)] =
        (struct mp_neighbour_news){page, now + n->hop, tenant, inserted};
    n->waiting++;
    if (!n->hop)
        mp_neighbour_settle(n, now);
}

void mp_neighbour_changed(struct mp_neighbour *n, struct mp_neighbour_page page, bool inserted)
{
    if (n->directory)
        n->keeper->changed(n, page, inserted);
}

static void drop_pages(struct mp_neighbour *n, uint16_t asid, const struct mp_scope *s, uint32_t page_shift)
{
    for (uint64_t vpn = s->va >> page_shift; vpn <= mp_scope_last(s) >> page_shift; vpn++)
        n->keeper->drop(n, (struct mp_neighbour_page){vpn, asid});
}

void mp_neighbour_invalidate(struct mp_neighbour *n, const struct mp_scope *s, uint32_t page_shift)
{
    mp_neighbour_settle(n, UINT64_MAX);
    if (n->has_last && mp_scope_has(s, n->last.asid, n->last.vpn << page_shift, page_shift))
        n->has_last = false;
    if (!n->directory)
        return;
    if (s->every_page)
        n->keeper->empty(n);
    else if (s->every_asid)
        for (uint16_t asid = 0; asid < MP_ASIDS; asid++)
            drop_pages(n, asid, s, page_shift);
    else
        drop_pages(n, s->asid, s, page_shift);
}
