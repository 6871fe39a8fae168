/* SPDX-License-Identifier: Apache-2.0 */
/* The models as a library: refusals and their messages, handles, and the text of a state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../engine/names.h"
#include "dpi/mempath_models.h"
#include "tlb/policy.h"
#include "walk/scheduler/scheduler.h"

typedef void *(*maker)(const char *policy, const char *parameters);

#define ALL_PARAMETERS                                                                                       \
    "sets, ways, sub_entries, latency, tenant_ways, tenants, sms, warps, base_latency, stride or lone"

static void error_is(const char *text)
{
    static const struct names names[] = {
        {"@tlb_policy@", mp_tlb_policy_designs, 0}, {"@walk_scheduler@", mp_walk_scheduler_designs, 0}, {0}};
    char wanted[512];
    assert_string_equal(mempath_error(), names_expand(text, names, wanted, sizeof wanted));
}

/* ---- making one ---- */

static void test_refused(void **state)
{
    static const struct {
        maker make;
        const char *policy, *parameters, *error;
    } cases[] = {
        {mempath_tlb_new, "stra", "", "policy: no policy 'stra'; @tlb_policy@"},
        {mempath_tlb_new, NULL, NULL, "policy: no policy ''; @tlb_policy@"},
        {mempath_tlb_new, "a\nb", NULL, "policy: no policy 'a?b'; @tlb_policy@"},
        {mempath_tlb_new, "dws", NULL, "policy: no policy 'dws'; @tlb_policy@"},
        {mempath_tlb_new, "star", "stes=4", "parameters: no parameter 'stes'; " ALL_PARAMETERS},
        {mempath_tlb_new, "star", "set=4", "parameters: no parameter 'set'; " ALL_PARAMETERS},
        {mempath_tlb_new, "star", "=4", "parameters: no parameter ''; " ALL_PARAMETERS},
        {mempath_tlb_new, "star", "sets", "sets: no value; sets=VALUE"},
        {mempath_tlb_new, "star", "sets=4 ways=2 sets=8", "sets: given twice; give it once"},
        {mempath_tlb_new, "star", "sub_entries=3", "sub_entries: 3 is not a power of two; 1 to 16"},
        {mempath_tlb_new, "star", "sets=", "sets: '' is not a whole number; 1 to 1048576"},
        {mempath_tlb_new, "star", "sets=0", "sets: '0' is too small; 1 to 1048576"},
        {mempath_tlb_new, "star", "ways=-1", "ways: '-1' is negative; 1 to 64"},
        {mempath_tlb_new, "star", "ways=+1", "ways: '+1' is not a whole number; 1 to 64"},
        {mempath_tlb_new, "star", "ways=65", "ways: '65' is too large; 1 to 64"},
        {mempath_tlb_new, "star", "ways=8x", "ways: '8x' is not a whole number; 1 to 64"},
        {mempath_tlb_new, "star", "ways=18446744073709551617",
         "ways: '18446744073709551617' is too large; 1 to 64"},
        {mempath_tlb_new, "star", "ways=1000000000000000000000000000000000000008",
         "ways: '10000000000000000000000000000000' is too large; 1 to 64"},
        {mempath_tlb_new, "star", "sets=32768 ways=64",
         "sets: 32768 of 64 ways are too many; at most 1048576 entries"},
        {mempath_tlb_new, "star", "sub_entries=8", "sub_entries: 8 are too few for star; 16 at least"},
        {mempath_tlb_new, "half-double-way", "ways=64",
         "ways: 64 are too many for half-double-way; 32 at most"},
        {mempath_tlb_new, "star4", "stride=2", "stride: 2 is too large for star4; 1 at most"},
        {mempath_tlb_new, "static", "",
         "tenant_ways: static divides the ways; give them, as in tenant_ways=4,2,2"},
        {mempath_tlb_new, "static-star", "tenant_ways=4,3", "tenant_ways: the sum is 7; it must be ways, 8"},
        {mempath_tlb_new, "static", "tenant_ways=4,,4", "tenant_ways: '' is not a whole number; 1 to 64"},
        {mempath_tlb_new, "static", "tenant_ways=1,1,1,1,1,1,1,1,1", "tenant_ways: more than 8; at most 8"},
        {mempath_tlb_new, "star", "tenant_ways=4,4",
         "tenant_ways: star does not divide the ways; static or static-star"},
        {mempath_tlb_new, "star", "tokens=50", "parameters: no parameter 'tokens'; " ALL_PARAMETERS},
        {mempath_tlb_new, "mask", "tokens=101", "tokens: '101' is too large; 1 to 100"},
        {mempath_tlb_new, "mask", "tokens=10 tokens=10", "tokens: given twice; give it once"},
        {mempath_tlb_new, "mask", "tokens", "tokens: no value; tokens=VALUE"},
        {mempath_tlb_new, "star", "stride=3", "stride: '3' is not a power of two; 1 to 4"},
        {mempath_tlb_new, "star", "sms=4",
         "sms: star does not have it; only policies that distinguish warps do"},
        {mempath_walks_new, "dwspp", "", "policy: no policy 'dwspp'; @walk_scheduler@"},
        {mempath_walks_new, "dws", "walker=4",
         "parameters: no parameter 'walker'; walkers, queue, tenants, owners or compat"},
        {mempath_walks_new, "dws", "walkers=65", "walkers: 65 are too many for dws; 64 at most"},
        {mempath_walks_new, "dws", "walkers=2 tenants=3",
         "walkers: 2 are too few for 3 tenants under dws; 3 at least"},
        {mempath_walks_new, "dws", "queue=4096", "queue: 4096 is too large for dws; 4095 at most"},
        {mempath_walks_new, "dws", "owners=block", "owners: 'block' is no choice; interleaved|blocked"},
        {mempath_walks_new, "static", "compat=hpca21",
         "compat: hpca21 does not have static; use one of fcfs, dws, dws++, or compat paper"},
        {mempath_walks_new, "dws++", "compat=hpca21 tenants=3",
         "compat: hpca21 supports 2 tenants under dws++, not 3; use 2, or compat paper"},
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].make(cases[i].policy, cases[i].parameters))
            fail_msg("%s '%s' is taken", cases[i].policy, cases[i].parameters);
        error_is(cases[i].error);
    }
}

static void test_taken(void **state)
{
    static const char *const texts[] = {NULL, "", " \t\n", "sets=0x10", " sets=16\tways=2\r\n"};
    (void)state;
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        void *tlb = mempath_tlb_new("star", texts[i]);
        assert_non_null(tlb);
        assert_int_equal(mempath_tlb_ways(tlb, 15), i < 4 ? 8 : 2);
        assert_int_equal(mempath_tlb_ways(tlb, 16), i < 3 ? 8 : 0);
        assert_int_equal(mempath_tlb_ways(tlb, 128), 0);
        assert_int_equal(mempath_destroy(tlb), 0);
    }
}

/* ---- handles ---- */

#define NONE "no model has this handle; use one that was created and not destroyed"

static void test_handles(void **state)
{
    void *tlb = mempath_tlb_new("subentry", "sets=1"), *walks = mempath_walks_new("fcfs", "");
    unsigned long long pfn = 7, id = 8;
    unsigned cycles = 9;
    (void)state;
    assert_non_null(tlb);
    assert_non_null(walks);
    assert_int_equal(mempath_tlb_lookup(walks, 0, 0, &pfn, &cycles), MEMPATH_ERROR);
    error_is("mempath_tlb_lookup: this handle is a walk scheduler; a TLB");
    assert_int_equal(mempath_walks_arrive(tlb, 0, 0), MEMPATH_ERROR);
    error_is("mempath_walks_arrive: this handle is a TLB; a walk scheduler");
    assert_int_equal(mempath_destroy(tlb), 0);
    assert_int_equal(mempath_destroy(tlb), MEMPATH_ERROR);
    error_is("mempath_destroy: " NONE);
    /* A new model in the same slot is another model. */
    for (unsigned i = 0; i < 70000; i++) {
        void *other = mempath_tlb_new("subentry", "sets=1 ways=1 sub_entries=1");
        assert_non_null(other);
        assert_ptr_not_equal(other, tlb);
        assert_int_equal(mempath_destroy(other), 0);
    }
    void *const wrong[] = {tlb, NULL, &pfn, (void *)UINTPTR_MAX, (void *)(uintptr_t)1};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(mempath_destroy(wrong[i]), MEMPATH_ERROR);
        assert_int_equal(mempath_tlb_lookup(wrong[i], 0, 0, &pfn, &cycles), MEMPATH_ERROR);
        error_is("mempath_tlb_lookup: " NONE);
        assert_int_equal(mempath_walks_complete(wrong[i], 0, &id), MEMPATH_ERROR);
        error_is("mempath_walks_complete: " NONE);
        assert_string_equal(mempath_state(wrong[i]), "");
        error_is("mempath_state: " NONE);
    }
    assert_int_equal(pfn, 7);
    assert_int_equal(cycles, 9);
    assert_int_equal(id, 8);
    assert_int_equal(mempath_destroy(walks), 0);
}

/* ---- a TLB ---- */

static void test_tlb(void **state)
{
    void *tlb = mempath_tlb_new("star", "sets=2 ways=2 latency=3 lone=sequential");
    const char *action = NULL;
    unsigned long long pfn, base;
    unsigned cycles, way, lost, layout, bases, subs, rank, asid, aib;
    (void)state;
    assert_int_equal(mempath_tlb_lookup(tlb, 1, 0x21, &pfn, &cycles), 0);
    assert_int_equal(cycles, 3);
    assert_int_equal(mempath_tlb_insert(tlb, 1, 0x21, 0x99, &action, &way, &lost), 0);
    assert_string_equal(action, "vacant");
    assert_int_equal(mempath_tlb_insert(tlb, 2, 0x43, 0x77, &action, &way, &lost), 0);
    assert_int_equal(way, 1);
    assert_int_equal(mempath_tlb_insert(tlb, 1, 0x80, 0x55, &action, &way, &lost), 0);
    assert_string_equal(action, "share-sequential");
    assert_int_equal(way, 0);
    assert_int_equal(mempath_tlb_lookup(tlb, 1, 0x21, &pfn, &cycles), 1);
    assert_int_equal(pfn, 0x99);
    assert_string_equal(mempath_state(tlb), "star\n"
                                            "set=0 way=0 rank=0 layout=1 base0=1:0x2 base1=1:0x8 "
                                            "sub1=0:0x99 sub8=0:0x55\n"
                                            "set=0 way=1 rank=1 layout=0 base0=2:0x4 sub3=0:0x77\n");
    assert_int_equal(mempath_tlb_way(tlb, 0, 0, &layout, &bases, &subs, &rank), 0);
    assert_int_equal(layout, 1);
    assert_int_equal(bases, 3);
    assert_int_equal(subs, 0x102);
    assert_int_equal(rank, 0);
    assert_int_equal(mempath_tlb_base(tlb, 0, 0, 1, &asid, &base), 1);
    assert_int_equal(asid, 1);
    assert_int_equal(base, 8);
    assert_int_equal(mempath_tlb_base(tlb, 0, 1, 1, &asid, &base), 0);
    assert_int_equal(mempath_tlb_sub(tlb, 0, 1, 3, &aib, &pfn), 1);
    assert_int_equal(pfn, 0x77);
    assert_int_equal(mempath_tlb_sub(tlb, 1, 1, 3, &aib, &pfn), 0);
    assert_int_equal(mempath_tlb_occupancy(tlb, 1), 2);
    assert_int_equal(mempath_tlb_invalidate_page(tlb, 1, 0x80), 1);
    assert_int_equal(mempath_tlb_invalidate_asid(tlb, 2), 1);
    assert_int_equal(mempath_tlb_invalidate_all(tlb), 1);
    assert_string_equal(mempath_state(tlb), "star\n");

    pfn = 1;
    assert_int_equal(mempath_tlb_lookup(tlb, 65536, 0, &pfn, &cycles), MEMPATH_ERROR);
    error_is("asid: there is no 65536; 0 to 65535");
    assert_int_equal(mempath_tlb_lookup(tlb, 0, 1ull << 45, &pfn, &cycles), MEMPATH_ERROR);
    error_is("vpn: 0x200000000000 is too wide; 0 to 0x1fffffffffff");
    assert_int_equal(mempath_tlb_insert(tlb, 0, 0, 1ull << 59, &action, &way, &lost), MEMPATH_ERROR);
    error_is("pfn: 0x800000000000000 is too wide; 0 to 0x7ffffffffffffff");
    assert_int_equal(mempath_tlb_way(tlb, 2, 0, &layout, &bases, &subs, &rank), MEMPATH_ERROR);
    error_is("set: there is no 2; mempath_tlb_ways returns the ways of each");
    assert_int_equal(mempath_tlb_way(tlb, 1, 2, &layout, &bases, &subs, &rank), MEMPATH_ERROR);
    error_is("way: there is no 2; 0 to 1");
    assert_int_equal(mempath_tlb_base(tlb, 1, 1, 4, &asid, &base), MEMPATH_ERROR);
    error_is("position: there is no 4; 0 to 3");
    assert_int_equal(mempath_tlb_sub(tlb, 1, 1, 16, &aib, &pfn), MEMPATH_ERROR);
    error_is("slot: there is no 16; 0 to 15");
    assert_int_equal(mempath_tlb_asked(tlb, 0, 0, 0, 0), MEMPATH_ERROR);
    error_is("mempath_tlb_asked: star does not distinguish warps; mask");
    assert_int_equal(pfn, 1);
    mempath_destroy(tlb);
}

static void test_tenants_of_a_tlb(void **state)
{
    void *tlb = mempath_tlb_new("static", "sets=1 ways=3 tenant_ways=2,1");
    const char *action;
    unsigned way, lost, layout, bases, subs, rank;
    (void)state;
    assert_int_equal(mempath_tlb_insert(tlb, 1, 5, 6, &action, &way, &lost), 0);
    assert_int_equal(way, 2);
    assert_int_equal(mempath_tlb_ways(tlb, 0), 3);
    assert_int_equal(mempath_tlb_way(tlb, 0, 2, &layout, &bases, &subs, &rank), 0);
    assert_int_equal(subs, 1 << 5);
    assert_string_equal(mempath_state(tlb), "static\nset=0 way=2 rank=0 layout=0 base0=1:0x0 sub5=0:0x6\n");
    assert_int_equal(mempath_tlb_invalidate_asid(tlb, 2), MEMPATH_ERROR);
    error_is("asid: there is no 2; 0 to 1");
    mempath_destroy(tlb);
}

/* After an epoch of misses, one warp of two has a token. The pages of the other go to the bypass cache,
 * which is the set after the array's. */
static void test_mask(void **state)
{
    void *tlb = mempath_tlb_new("mask", "sets=2 ways=2 tenants=2 sms=2 warps=1 epoch=4 tokens=50 bypass=1");
    const char *action;
    unsigned long long pfn;
    unsigned cycles, way, lost;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(mempath_tlb_may_fill(tlb, 0, 1, 0), 1);
        assert_int_equal(mempath_tlb_asked(tlb, 0, i % 2, 0, 0), 0);
    }
    assert_int_equal(mempath_tlb_may_fill(tlb, 0, 0, 0), 1);
    assert_int_equal(mempath_tlb_may_fill(tlb, 0, 1, 0), 0);
    assert_int_equal(mempath_tlb_bypass(tlb, 0, 3, 4, &action, &way, &lost), 0);
    assert_string_equal(action, "bypass");
    assert_int_equal(mempath_tlb_lookup(tlb, 0, 3, &pfn, &cycles), 1);
    assert_int_equal(pfn, 4);
    assert_int_equal(mempath_tlb_ways(tlb, 1), 2);
    assert_int_equal(mempath_tlb_ways(tlb, 2), 1);
    assert_int_equal(mempath_tlb_ways(tlb, 3), 0);
    assert_string_equal(mempath_state(tlb), "mask\nset=2 way=0 rank=0 layout=0 base0=0:0x3 sub0=0:0x4\n");
    assert_int_equal(mempath_tlb_asked(tlb, 0, 2, 0, 0), MEMPATH_ERROR);
    error_is("sm: there is no 2; 0 to 1");
    assert_int_equal(mempath_tlb_may_fill(tlb, 0, 0, 1), MEMPATH_ERROR);
    error_is("warp: there is no 1; 0 to 0");
    mempath_destroy(tlb);
}

/* ---- walks ---- */

static void test_walks(void **state)
{
    void *w = mempath_walks_new("dws", "walkers=2 queue=2");
    unsigned long long id = 0, walkers;
    unsigned places, stolen, tenant, pending, arrivals, diff_thres;
    int owner;
    (void)state;
    assert_int_equal(mempath_walks_arrive(w, 0, 10), 0);
    assert_int_equal(mempath_walks_arrive(w, 0, 11), 1);
    assert_int_equal(mempath_walks_arrive(w, 0, 12), MEMPATH_QUEUED);
    assert_int_equal(mempath_walks_room(w, 0), 0);
    assert_int_equal(mempath_walks_room(w, 1), 1);
    assert_int_equal(mempath_walks_arrive(w, 0, 13), MEMPATH_NO_ROOM);
    assert_string_equal(mempath_state(w), "dws\nepoch=0 diff_thres=127\n"
                                          "tenant=0 walkers=0x1 pending=1 arrivals=0\n"
                                          "tenant=1 walkers=0x2 pending=0 arrivals=0\n"
                                          "walker=0 walk=0:10 owner=0 free=0 stolen=0 queue=0:12\n"
                                          "walker=1 walk=0:11 owner=1 free=1 stolen=1 queue=\n");
    assert_int_equal(mempath_walks_walker(w, 1, &id, &owner, &places, &stolen), 1);
    assert_int_equal(id, 11);
    assert_int_equal(owner, 1);
    assert_int_equal(places, 1);
    assert_int_equal(stolen, 1);
    assert_int_equal(mempath_walks_waiting(w, 0, 0, &id, &tenant), 1);
    assert_int_equal(id, 12);
    assert_int_equal(mempath_walks_waiting(w, 0, 1, &id, &tenant), 0);
    assert_int_equal(mempath_walks_tenant(w, 0, &walkers, &pending, &arrivals), 0);
    assert_int_equal(walkers, 1);
    assert_int_equal(pending, 1);
    assert_int_equal(mempath_walks_epoch(w, &arrivals, &diff_thres), 0);
    assert_int_equal(diff_thres, 127);
    assert_int_equal(mempath_walks_complete(w, 1, &id), 1);
    assert_int_equal(id, 12);
    assert_int_equal(mempath_walks_complete(w, 0, &id), 0);
    assert_int_equal(mempath_walks_complete(w, 0, &id), MEMPATH_ERROR);
    error_is("walker: 0 is idle; name a working one");
    assert_int_equal(mempath_walks_complete(w, 2, &id), MEMPATH_ERROR);
    error_is("walker: there is no 2; 0 to 1");
    assert_int_equal(mempath_walks_arrive(w, 2, 0), MEMPATH_ERROR);
    error_is("tenant: there is no 2; 0 to 1");
    assert_int_equal(mempath_walks_wake(w, 1, &id), MEMPATH_ERROR);
    error_is("walker: 1 is working; name an idle one");
    assert_int_equal(mempath_walks_set_tenants(w, 0), MEMPATH_ERROR);
    error_is("tenants: 0x0; 0x1 to 0x3, a bit each");
    assert_int_equal(mempath_walks_set_tenants(w, 4), MEMPATH_ERROR);
    mempath_destroy(w);
}

/* Under a static partition a walker stays idle while another tenant's walk waits, until that tenant owns
 * it. */
static void test_a_tenant_leaves(void **state)
{
    void *w = mempath_walks_new("static", "walkers=2 queue=2");
    unsigned long long id = 0;
    unsigned places, stolen;
    int owner;
    (void)state;
    assert_int_equal(mempath_walks_arrive(w, 0, 1), 0);
    assert_int_equal(mempath_walks_arrive(w, 0, 2), MEMPATH_QUEUED);
    assert_int_equal(mempath_walks_wake(w, 1, &id), 0);
    assert_int_equal(mempath_walks_set_tenants(w, 1), 0);
    assert_int_equal(mempath_walks_wake(w, 1, &id), 1);
    assert_int_equal(id, 2);
    assert_int_equal(mempath_walks_walker(w, 1, &id, &owner, &places, &stolen), 1);
    assert_int_equal(owner, 0);
    mempath_destroy(w);
}

static void test_fcfs(void **state)
{
    void *w = mempath_walks_new("fcfs", "walkers=1 queue=3");
    unsigned long long id, walkers;
    unsigned places, stolen, pending, arrivals;
    int owner;
    (void)state;
    assert_int_equal(mempath_walks_arrive(w, 1, 5), 0);
    assert_int_equal(mempath_walks_arrive(w, 0, 6), MEMPATH_QUEUED);
    assert_int_equal(mempath_walks_walker(w, 0, &id, &owner, &places, &stolen), 1);
    assert_int_equal(owner, -1);
    assert_int_equal(places, 2);
    assert_string_equal(mempath_state(w), "fcfs\nwalker=0 walk=1:5\n queue=0:6\n");
    assert_int_equal(mempath_walks_tenant(w, 0, &walkers, &pending, &arrivals), MEMPATH_ERROR);
    error_is("mempath_walks_tenant: fcfs has no such tables; static, dws or dws++");
    assert_int_equal(mempath_walks_set_tenants(w, 1), 0);
    mempath_destroy(w);
}

/* ---- outputs ---- */

/* The same calls with and without outputs return the same values and leave the models in the same state. */
static void test_outputs_may_be_null(void **state)
{
    void *with = mempath_tlb_new("mask", ""), *without = mempath_tlb_new("mask", "");
    unsigned long long number;
    unsigned a, b, c, d;
    const char *action;
    (void)state;
    assert_int_equal(mempath_tlb_lookup(with, 0, 5, &number, &a), 0);
    assert_int_equal(mempath_tlb_lookup(without, 0, 5, NULL, NULL), 0);
    assert_int_equal(mempath_tlb_insert(with, 0, 5, 6, &action, &a, &b), 0);
    assert_int_equal(mempath_tlb_insert(without, 0, 5, 6, NULL, NULL, NULL), 0);
    assert_int_equal(mempath_tlb_lookup(without, 0, 5, NULL, NULL), 1);
    assert_int_equal(mempath_tlb_lookup(with, 0, 5, &number, &a), 1);
    assert_int_equal(mempath_tlb_bypass(with, 1, 7, 8, &action, &a, &b), 0);
    assert_int_equal(mempath_tlb_bypass(without, 1, 7, 8, NULL, NULL, NULL), 0);
    char text[4096];
    snprintf(text, sizeof text, "%s", mempath_state(with));
    assert_string_equal(text, mempath_state(without));
    assert_int_equal(mempath_tlb_way(without, 0, 0, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(mempath_tlb_base(without, 0, 0, 0, NULL, NULL),
                     mempath_tlb_base(with, 0, 0, 0, &a, &number));
    assert_int_equal(mempath_tlb_sub(without, 0, 0, 5, NULL, NULL),
                     mempath_tlb_sub(with, 0, 0, 5, &a, &number));
    mempath_destroy(with);
    mempath_destroy(without);

    int owner;
    with = mempath_walks_new("dws", "walkers=2 queue=4");
    without = mempath_walks_new("dws", "walkers=2 queue=4");
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(mempath_walks_arrive(with, 0, i), mempath_walks_arrive(without, 0, i));
    assert_int_equal(mempath_walks_walker(with, 0, &number, &owner, &a, &b),
                     mempath_walks_walker(without, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(mempath_walks_waiting(with, 0, 0, &number, &a),
                     mempath_walks_waiting(without, 0, 0, NULL, NULL));
    assert_int_equal(mempath_walks_complete(with, 0, &number), mempath_walks_complete(without, 0, NULL));
    assert_int_equal(mempath_walks_set_tenants(with, 2), mempath_walks_set_tenants(without, 2));
    assert_int_equal(mempath_walks_wake(with, 1, &number), mempath_walks_wake(without, 1, NULL));
    assert_int_equal(mempath_walks_tenant(without, 0, NULL, NULL, NULL), 0);
    assert_int_equal(mempath_walks_epoch(without, NULL, NULL), 0);
    assert_int_equal(mempath_walks_epoch(with, &c, &d), 0);
    snprintf(text, sizeof text, "%s", mempath_state(with));
    assert_string_equal(text, mempath_state(without));
    mempath_destroy(with);
    mempath_destroy(without);
}

/* ---- permissions and neighbouring pages ---- */

static void test_span(void **state)
{
    unsigned way, slot, asid, pages, unit, before, after, read_only;
    unsigned long long vpn, pfn;
    const char *action;
    void *t = mempath_tlb_new("mesc", "sets=4 ways=16 sub_entries=1");
    (void)state;
    assert_non_null(t);
    /* Subregions 2 to 4 of a frame; the page is the second one of subregion 3. */
    assert_int_equal(mempath_tlb_insert_span(t, 1, 0x4c1, 0x10c1, 6, 1, 1, 1, &action, &way, NULL), 0);
    assert_string_equal(action, "vacant");
    assert_int_equal(mempath_tlb_lookup(t, 1, 0x487, &pfn, NULL), 1);
    assert_true(pfn == 0x1087);
    assert_int_equal(mempath_tlb_span(t, 1, 0x487, &unit, &before, &after, &read_only), 1);
    assert_true(unit == 6 && before == 0 && after == 2 && read_only);
    assert_int_equal(mempath_tlb_span(t, 1, 0x47f, &unit, NULL, NULL, NULL), 0);
    unsigned set = 0;
    while (set < 4 && !mempath_tlb_entry(t, set, 0, &way, &slot, &asid, &vpn, &pfn, &pages, &read_only))
        set++;
    assert_in_range(set, 0, 3);
    assert_true(asid == 1 && vpn == 0x480 && pfn == 0x1080 && pages == 192 && read_only);
    assert_int_equal(mempath_tlb_entry(t, set, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(mempath_tlb_entry(t, 4, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL), MEMPATH_ERROR);
    assert_int_equal(mempath_tlb_insert_span(t, 1, 0x4c1, 0x10c1, 6, 1, 5, 1, NULL, NULL, NULL),
                     MEMPATH_ERROR);
    error_is("after: 5 are too many; 0 to 4");
    assert_int_equal(mempath_tlb_insert_span(t, 1, 0x4c1, 0x10c1, 3, 1, 5, 1, NULL, NULL, NULL),
                     MEMPATH_ERROR);
    error_is("unit: there is no 3; 0 for pages, 6 for subregions of 64 pages");
    assert_int_equal(mempath_tlb_insert_span(t, 1, 0x4c1, 0x40, 6, 1, 0, 1, NULL, NULL, NULL), MEMPATH_ERROR);
    error_is("pfn: 0x40 is too small for the pages before it; 0x41 or more");
    mempath_destroy(t);
}

/* ---- owners ---- */

static void test_owner(void **state)
{
    unsigned long long walkers;
    void *w = mempath_walks_new("dws", "walkers=4 queue=8 tenants=2");
    (void)state;
    assert_int_equal(mempath_walks_tenant(w, 0, &walkers, NULL, NULL), 0);
    assert_int_equal(walkers, 5);
    assert_int_equal(mempath_walks_set_owner(w, 2, 1), 0);
    assert_int_equal(mempath_walks_tenant(w, 0, &walkers, NULL, NULL), 0);
    assert_int_equal(walkers, 1);
    assert_int_equal(mempath_walks_tenant(w, 1, &walkers, NULL, NULL), 0);
    assert_int_equal(walkers, 14);
    assert_int_equal(mempath_walks_set_owner(w, 2, 2), 0); /* nobody's */
    assert_int_equal(mempath_walks_tenant(w, 1, &walkers, NULL, NULL), 0);
    assert_int_equal(walkers, 10);
    assert_int_equal(mempath_walks_set_owner(w, 4, 0), MEMPATH_ERROR);
    error_is("walker: there is no 4; 0 to 3");
    assert_int_equal(mempath_walks_set_owner(w, 0, 3), MEMPATH_ERROR);
    error_is("tenant: there is no 3; 0 to 1, or 2 for none");
    mempath_destroy(w);
    w = mempath_walks_new("fcfs", NULL);
    assert_int_equal(mempath_walks_set_owner(w, 0, 0), MEMPATH_ERROR);
    mempath_destroy(w);
}

/* ---- NeiDty's directory ---- */

static void test_directory(void **state)
{
    unsigned long long tag;
    unsigned left, local, right;
    void *d = mempath_directory_new("entries=2 tag_bits=8");
    (void)state;
    assert_non_null(d);
    assert_int_equal(mempath_directory_ask(d, 0, 0x10), 0);
    assert_int_equal(mempath_directory_message(d, MEMPATH_RIGHT, 1, 0, 0, 0x10), 0);
    assert_int_equal(mempath_directory_ask(d, 0, 0x10), MEMPATH_RIGHT);
    assert_int_equal(mempath_directory_message(d, MEMPATH_LEFT, 1, 0, 0, 0x10), 0);
    assert_int_equal(mempath_directory_ask(d, 0, 0x10), MEMPATH_LEFT);
    assert_int_equal(mempath_directory_own(d, 1, 0, 0x10), 0);
    assert_int_equal(mempath_directory_entry(d, 0, &tag, &left, &local, &right), 1);
    assert_true(tag == 0x10 && left && local && right);
    assert_int_equal(mempath_directory_entry(d, 1, &tag, NULL, NULL, NULL), 0);
    /* Full: the entry whose page the TLB itself holds leaves. */
    assert_int_equal(mempath_directory_message(d, MEMPATH_LEFT, 1, 0, 0, 0x11), 0);
    assert_int_equal(mempath_directory_message(d, MEMPATH_LEFT, 1, 0, 0, 0x12), 0);
    assert_int_equal(mempath_directory_ask(d, 0, 0x10), 0);
    assert_string_equal(mempath_state(d), "entry=0 tag=0x11 left=1 local=0 right=0\n"
                                          "entry=1 tag=0x12 left=1 local=0 right=0\n");
    assert_int_equal(mempath_directory_message(d, MEMPATH_LEFT, 0, 0, 0, 0x11), 0);
    assert_int_equal(mempath_directory_ask(d, 0, 0x11), 0);
    assert_int_equal(mempath_directory_drop(d, 0, 0x12), 0);
    assert_int_equal(mempath_directory_entry(d, 0, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(mempath_directory_message(d, 3, 1, 0, 0, 0x10), MEMPATH_ERROR);
    error_is("side: there is no 3; 1 is left, 2 right");
    assert_int_equal(mempath_directory_entry(d, 2, NULL, NULL, NULL, NULL), MEMPATH_ERROR);
    error_is("number: there is no 2; 0 to 1");
    assert_int_equal(mempath_directory_empty(d), 0);
    assert_int_equal(mempath_tlb_ways(d, 0), MEMPATH_ERROR);
    error_is("mempath_tlb_ways: this handle is a directory; a TLB");
    mempath_destroy(d);
    assert_null(mempath_directory_new("entries=257"));
    error_is("entries: '257' is too large; 1 to 256");
}

/* ---- MESC's scan ---- */

static void test_scan(void **state)
{
    static const char *const orders[] = {"", "leaves=heads-first"};
    (void)state;
    for (unsigned o = 0; o < 2; o++) {
        unsigned long long entry;
        unsigned reads;
        void *s = mempath_scan_new(orders[o]);
        assert_non_null(s);
        assert_int_equal(mempath_scan_entry(s, 0x123456789001), 0);
        for (unsigned page = 0; page < 512; page++) /* valid leaves of consecutive frames */
            assert_int_equal(mempath_scan_leaf(s, page, (0x7000ull + page) << 12 | 3), 0);
        assert_int_equal(mempath_scan_frame(s, &entry, &reads), 1);
        assert_true(entry == (0x123456789001 | 0x1ffull << 52));
        assert_int_equal(reads, 512);
        assert_int_equal(mempath_scan_frame(s, &entry, NULL), 0);
        assert_int_equal(mempath_scan_leaf(s, 64, (0x7040ull) << 12 | 7), 0); /* another permission */
        assert_int_equal(mempath_scan_frame(s, &entry, &reads), 1);
        assert_true(entry == (0x123456789001 | 0xfdull << 52));
        assert_int_equal(mempath_scan_leaf(s, 512, 0), MEMPATH_ERROR);
        error_is("page: there is no 512; 0 to 511");
        mempath_destroy(s);
    }
    assert_null(mempath_scan_new("leaves=mixed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_span),
        cmocka_unit_test(test_owner),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_tlb),
        cmocka_unit_test(test_tenants_of_a_tlb),
        cmocka_unit_test(test_mask),
        cmocka_unit_test(test_walks),
        cmocka_unit_test(test_a_tenant_leaves),
        cmocka_unit_test(test_fcfs),
        cmocka_unit_test(test_outputs_may_be_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
