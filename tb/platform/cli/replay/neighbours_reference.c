/* SPDX-License-Identifier: Apache-2.0 */
#include "neighbours_reference.h"

#include <string.h>

/* Bit j is the parity of the bits j, j + bits, j + 2 bits ... of vpn. */
uint64_t ref_tag(int bits, uint32_t asid, uint64_t vpn)
{
    int bit[64] = {0};
    uint64_t tag = 0;
    for (int j = 0; j < 64; j++)
        bit[j % bits] ^= (int)(vpn / ((uint64_t)1 << j) % 2);
    for (int k = 0; k < 16; k++)
        bit[bits - 1 - k % bits] ^= (int)(asid / (1u << k) % 2);
    for (int j = 0; j < bits; j++)
        tag += (uint64_t)bit[j] * ((uint64_t)1 << j);
    return tag;
}

static int find_page(const struct ref *r, int sm, uint32_t asid, uint64_t vpn)
{
    for (int e = 0; e < r->entries; e++) {
        const struct ref_translation *t = &r->tlb[sm].entry[e];
        if (t->valid && t->asid == asid && t->vpn == vpn)
            return e;
    }
    return -1;
}

bool ref_has(const struct ref *r, int sm, uint32_t asid, uint64_t vpn)
{
    return find_page(r, sm, asid, vpn) >= 0;
}

static int find_record(const struct ref *r, int sm, uint64_t tag)
{
    for (int d = 0; d < r->directory; d++)
        if (r->tlb[sm].record[d].valid && r->tlb[sm].record[d].tag == tag)
            return d;
    return -1;
}

/* The place for a new record: free, else of the oldest local one, else of the oldest. */
static int place_record(const struct ref *r, int sm)
{
    const struct ref_record *record = r->tlb[sm].record;
    int local = -1, oldest = -1;
    for (int d = 0; d < r->directory; d++) {
        if (!record[d].valid)
            return d;
        if (oldest < 0 || record[d].born < record[oldest].born)
            oldest = d;
        if (record[d].local && (local < 0 || record[d].born < record[local].born))
            local = d;
    }
    return local >= 0 ? local : oldest;
}

static void neighbour_inserted(struct ref *r, int sm, bool left, uint32_t asid, uint64_t vpn)
{
    uint64_t tag = ref_tag(r->tag_bits, asid, vpn);
    int d = find_record(r, sm, tag);
    if (d < 0) {
        d = place_record(r, sm);
        r->tlb[sm].record[d] = (struct ref_record){
            .valid = true, .tag = tag, .local = ref_has(r, sm, asid, vpn), .born = ++r->clock};
    }
    if (left)
        r->tlb[sm].record[d].left = true;
    else
        r->tlb[sm].record[d].right = true;
}

static void neighbour_evicted(struct ref *r, int sm, bool left, uint32_t asid, uint64_t vpn)
{
    int d = find_record(r, sm, ref_tag(r->tag_bits, asid, vpn));
    if (d < 0)
        return;
    struct ref_record *record = &r->tlb[sm].record[d];
    if (left)
        record->left = false;
    else
        record->right = false;
    record->valid = record->left || record->right;
}

static void self_changed(struct ref *r, int sm, bool inserted, uint32_t asid, uint64_t vpn)
{
    int d = find_record(r, sm, ref_tag(r->tag_bits, asid, vpn));
    if (d >= 0)
        r->tlb[sm].record[d].local = inserted;
}

static void announce(struct ref *r, int sm, bool inserted, uint32_t asid, uint64_t vpn)
{
    int left = sm == 0 ? r->sms - 1 : sm - 1, right = sm == r->sms - 1 ? 0 : sm + 1;
    if (r->policy != REF_NEIDTY)
        return;
    self_changed(r, sm, inserted, asid, vpn);
    if (inserted) {
        neighbour_inserted(r, left, false, asid, vpn);
        neighbour_inserted(r, right, true, asid, vpn);
    } else {
        neighbour_evicted(r, left, false, asid, vpn);
        neighbour_evicted(r, right, true, asid, vpn);
    }
}

static void load(struct ref *r, int sm, uint32_t asid, uint64_t vpn, struct ref_answer *a)
{
    struct ref_translation *entry = r->tlb[sm].entry, *victim = NULL;
    for (int e = 0; e < r->entries; e++)
        if (!victim || (!entry[e].valid && victim->valid) ||
            (entry[e].valid == victim->valid && entry[e].used < victim->used))
            victim = &entry[e];
    a->load = true;
    a->out = victim->valid;
    a->out_asid = victim->asid;
    a->out_vpn = victim->vpn;
    *victim = (struct ref_translation){true, asid, vpn, a->pfn, ++r->clock};
    if (a->out)
        announce(r, sm, false, a->out_asid, a->out_vpn);
    announce(r, sm, true, asid, vpn);
}

static bool loads(struct ref *r, int sm, uint32_t asid, uint64_t vpn)
{
    struct ref_tlb *t = &r->tlb[sm];
    int d = find_record(r, sm, ref_tag(r->tag_bits, asid, vpn));
    switch (r->update) {
    case REF_DEFAULT:
        return true;
    case REF_EXCLUSIVE:
        return false;
    case REF_TWICE:
        if (t->remembers && t->last_asid == asid && t->last_vpn == vpn) {
            t->remembers = false;
            return true;
        }
        t->remembers = true;
        t->last_asid = asid;
        t->last_vpn = vpn;
        return false;
    default:
        t->record[d].once = !t->record[d].once;
        return !t->record[d].once;
    }
}

static bool take(struct ref *r, int other, uint32_t asid, uint64_t vpn, struct ref_answer *a)
{
    int e = find_page(r, other, asid, vpn);
    if (e < 0)
        return false;
    r->tlb[other].entry[e].used = ++r->clock;
    a->who = other;
    a->pfn = r->tlb[other].entry[e].pfn;
    return true;
}

static void ask_others(struct ref *r, int sm, uint32_t asid, uint64_t vpn, struct ref_answer *a)
{
    int left = (sm + r->sms - 1) % r->sms, right = (sm + 1) % r->sms;
    uint64_t there_and_back = r->hop + r->latency + r->hop;
    a->cycles = r->latency;
    if (r->policy == REF_DIRECT) {
        a->probes = 2;
        a->cycles += there_and_back;
        if (!take(r, left, asid, vpn, a))
            take(r, right, asid, vpn, a);
    } else if (r->policy == REF_NEIDTY) {
        int d = find_record(r, sm, ref_tag(r->tag_bits, asid, vpn));
        if (d < 0)
            return;
        a->probes = 1;
        a->cycles += there_and_back;
        take(r, r->tlb[sm].record[d].left ? left : right, asid, vpn, a);
    } else if (r->policy == REF_RING) {
        int first = sm / r->group * r->group;
        int members = first + r->group <= r->sms ? r->group : r->sms - first;
        if (members == 1)
            return;
        /* The probe travels to the right, from the group's last TLB to its first. */
        for (int at = sm; a->who == -2;) {
            at = at + 1 == first + members ? first : at + 1;
            a->cycles += r->hop;
            if (at == sm)
                return;
            a->probes++;
            a->cycles += r->latency;
            if (take(r, at, asid, vpn, a))
                a->cycles += (uint64_t)(members - a->probes) * r->hop; /* on round the ring */
        }
    }
}

struct ref_answer ref_request(struct ref *r, int sm, uint32_t asid, uint64_t vpn, uint64_t pfn)
{
    struct ref_answer a = {.who = -2, .pfn = pfn};
    int own = find_page(r, sm, asid, vpn);
    if (own >= 0) {
        struct ref_translation *t = &r->tlb[sm].entry[own];
        t->used = ++r->clock;
        return (struct ref_answer){.who = -1, .pfn = t->pfn, .cycles = r->latency};
    }
    ask_others(r, sm, asid, vpn, &a);
    if (a.who == -2)
        a.cycles += r->below;
    if (a.who == -2 || loads(r, sm, asid, vpn))
        load(r, sm, asid, vpn, &a);
    return a;
}

int ref_invalidate(struct ref *r, bool all_asids, uint32_t asid, bool all_pages, uint64_t vpn)
{
    int gone = 0;
    for (int i = 0; i < r->sms; i++) {
        struct ref_tlb *t = &r->tlb[i];
        for (int e = 0; e < r->entries; e++) {
            struct ref_translation *x = &t->entry[e];
            if (x->valid && (all_asids || x->asid == asid) && (all_pages || x->vpn == vpn)) {
                x->valid = false;
                gone++;
            }
        }
        for (int d = 0; d < r->directory; d++)
            if (all_pages || t->record[d].tag == ref_tag(r->tag_bits, asid, vpn))
                t->record[d].valid = false;
        if ((all_asids || t->last_asid == asid) && (all_pages || t->last_vpn == vpn))
            t->remembers = false;
    }
    return gone;
}

int ref_directory(const struct ref *r, int sm, struct ref_record list[REF_DIR])
{
    int count = 0;
    uint64_t after = 0;
    for (;;) {
        const struct ref_record *next = NULL;
        for (int d = 0; d < r->directory; d++) {
            const struct ref_record *x = &r->tlb[sm].record[d];
            if (x->valid && x->born > after && (!next || x->born < next->born))
                next = x;
        }
        if (!next)
            return count;
        after = next->born;
        list[count++] = *next;
    }
}
