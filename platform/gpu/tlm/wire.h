// SPDX-License-Identifier: Apache-2.0
// The TLM-2.0 extension that every payload of the platform carries. This header and <tlm> are all that a
// module from outside needs; README.md in this folder describes the protocol.
#ifndef MP_GPU_WIRE_H
#define MP_GPU_WIRE_H

#include <cstdint>
#include <tlm>

namespace mp
{

enum class Op : uint8_t {
    load,
    store,
    atomic,
    translate,
    pte_read,
    writeback,
    hint,     // a translation that no request waits for; a target without room answers `nothing` in the call
    probe,    // between TLBs of a level, from here on: a translation, if the target has it
    peek,     // likewise, but no use of the entry
    inserted, // news: the sender has stored the page, or had to remove it for another
    evicted
};

// An ignorable phase on the way back: a page-walk system answers, and will say in BEGIN_RESP what may be
// stored.
DECLARE_EXTENDED_PHASE(EARLY_RESP);

// The source of a translation. `nothing`: a probe did not find it, there was no room for a hint, or the
// translation of an early response is invalid now.
enum class Source : uint8_t { nothing, tlb, walk, left, right, foreign }; // left, right: a TLB of the level

// Why a translation failed.
enum class Fault : uint8_t {
    none,
    not_valid,  // the page table entry is not valid
    read_only,  // a store or atomic to a page that may only be read
    reserved,   // reserved bits of the entry are set
    leaf,       // a leaf where the entry should point to a table
    table,      // a pointer to a table where the entry should be a leaf
    misaligned, // a frame that is not aligned to its size
    outside,    // a frame or table outside the memory that walks may use
    root,       // the root table is outside that memory
    ecc         // the entry has an error that ECC cannot correct
};

// A page may be answered with `nothing` this many times in a row; one more ends the run.
constexpr unsigned most_nothing = 1000;

struct Attributes : tlm::tlm_extension<Attributes> {
    // The request. Its sender sets these; no module on the way changes them.
    Op op = Op::load;
    uint8_t tenant = 0, warp = 0; // warp: slot of the SM
    uint8_t instruction = 0;      // number of the warp's memory instruction, modulo 16; 0 if it is not known
    uint16_t sm = 0, asid = 0;
    uint64_t virtual_address = 0; // of data: the access that caused it, or 0

    // The answer to a translation. The target sets these before it responds; the sender has set these
    // defaults.
    Source source = Source::foreign;
    Fault fault = Fault::none; // looked at when the response status is an error
    uint8_t level = 0;         // of the entry that faults; the data is the entry's physical address
    uint8_t page =
        0; // of a walk's answer: log2 of the bytes of the page in which it was found; 0: of the smallest
    // The pages for which the answer holds: the aligned block of 2^unit pages around the page, `before` such
    // blocks before it and `after` blocks after it are mapped to consecutive frames with the same permission.
    uint8_t unit = 0;              // 0 to 15
    uint8_t before = 0, after = 0; // 0 to 31
    bool read_only = false;

    tlm::tlm_extension_base *clone() const override { return new Attributes(*this); }
    void copy_from(const tlm::tlm_extension_base &other) override
    {
        *this = static_cast<const Attributes &>(other);
    }
};

} // namespace mp

#endif
