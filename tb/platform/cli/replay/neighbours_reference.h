/* SPDX-License-Identifier: Apache-2.0 */
/* L1 TLBs that ask each other, as slow and plain as the rules can be written: entries carry the times at
 * which they were used or made, and every question is a search. It shares no code with the model. */
#ifndef MP_TB_NEIGHBOURS_REFERENCE_H
#define MP_TB_NEIGHBOURS_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

#define REF_SMS     64
#define REF_ENTRIES 64
#define REF_DIR     256

enum ref_policy { REF_NONE, REF_DIRECT, REF_RING, REF_NEIDTY };
enum ref_update { REF_DEFAULT, REF_EXCLUSIVE, REF_TWICE, REF_TWICE_ENTRY };

struct ref_translation {
    bool valid;
    uint32_t asid;
    uint64_t vpn, pfn, used;
};

struct ref_record {
    bool valid, left, local, right, once;
    uint64_t tag, born;
};

struct ref_tlb {
    struct ref_translation entry[REF_ENTRIES];
    struct ref_record record[REF_DIR];
    bool remembers; /* the register of twice */
    uint32_t last_asid;
    uint64_t last_vpn;
};

struct ref {
    enum ref_policy policy;
    enum ref_update update;
    int sms, entries, directory, tag_bits, group;
    uint64_t latency, hop, below, clock;
    struct ref_tlb tlb[REF_SMS];
};

struct ref_answer {
    int who; /* a TLB's number; -1: the asking one; -2: the L2 TLB */
    uint64_t pfn, cycles;
    int probes;
    bool load, out;
    uint32_t out_asid;
    uint64_t out_vpn;
};

uint64_t ref_tag(int bits, uint32_t asid, uint64_t vpn);
bool ref_has(const struct ref *r, int sm, uint32_t asid, uint64_t vpn);
struct ref_answer ref_request(struct ref *r, int sm, uint32_t asid, uint64_t vpn, uint64_t pfn);
/* Every page or one, every address space or one; returns the number of translations that left. */
int ref_invalidate(struct ref *r, bool all_asids, uint32_t asid, bool all_pages, uint64_t vpn);
/* The valid records of a directory, the oldest first. Returns their number. */
int ref_directory(const struct ref *r, int sm, struct ref_record list[REF_DIR]);

#endif
