// SPDX-License-Identifier: Apache-2.0
// A Verilated design with a clock, a reset and an end: what the files X_rtl.cpp of the blocks share. Each of
// them is compiled once for each design (block.cmake, own.sh), with
//   RTL_DESIGN        the Verilated class
//   RTL_TOP           its module
//   RTL_NAME          the name of the structure that the file defines
//   RTL_<PARAMETER>   each parameter that is not the RTL's default
//   RTL_STATE         if the state is where ours is
//   RTL_FOREIGN       if it is a user's block, which may take other numbers of clocks
//   RTL_MUTANTS       if it has mutants (mutate.cmake)
//   RTL_WAVES         if it can write waves
#ifndef MP_RTL_BLOCK_HPP
#define MP_RTL_BLOCK_HPP

#include <type_traits>

#include <verilated_cov.h>

#include "rtl/lockstep/manner.h"
#include "rtl/lockstep/verilated.h"
#include "rtl/lockstep/verilated_end.hpp"
#include "rtl/lockstep/waves.hpp"

#define TEXT_OF(x)    #x
#define TEXT(x)       TEXT_OF(x)
#define JOIN_OF(a, b) a##b
#define JOIN(a, b)    JOIN_OF(a, b)

#define DESIGN_HEADER  TEXT(RTL_DESIGN.h)
#define DESIGN_MEMBERS TEXT(JOIN(RTL_DESIGN, ___024root.h))
#include DESIGN_HEADER
#include DESIGN_MEMBERS

#ifdef RTL_FOREIGN
constexpr bool rtl_timed = false;
#else
constexpr bool rtl_timed = true;
#endif

template <class Design> class Block
{
    mutable VerilatedContext context_; // before the design, which refers to it

  public:
    Design top;
    uint64_t clocks = 0;
    Waves waves; // goes before the design
    const char *wrong = nullptr;

    // Registers and memories start with random values that depend on the seed.
    Block(const char *name, uint64_t seed) : top{prepared(context_, seed), name} {}

    ~Block() { Verilated::threadContextp(&context_); } // the current context may be a deleted block's

    // Inputs change while the clock is low; this computes the outputs.
    void settle()
    {
        top.clk_i = 0;
        eval();
    }

    // No input may have changed since settle(): designs do not look at them here (verilate.cmake).
    void edge()
    {
        waves.dump(2 * clocks);
        top.clk_i = 1;
        eval();
        waves.dump(2 * clocks + 1);
        clocks++;
    }

    // Records a violation of the ports' rules, or the end of the design. Only the first is kept.
    void breaks(const char *what)
    {
        if (!wrong)
            wrong = what;
    }

    // Before its first reset a design may break rules, but it must not end, and it must converge.
    void judge(bool on)
    {
        context_.assertOn(on);
        wrong = nullptr;
        if (!context_.gotFinish() && !stopped_)
            *end_.text = 0;
    }

    void cover(const char *file) const { context_.coveragep()->write(file); }

    // Call before anything else.
    void enter() { verilated_end = &end_; }

    // Call before a transaction. Lines count from the 64th transaction on: the random values of the
    // registers, which execute lines that nothing else does, are gone by then.
    void begin_transaction()
    {
        enter();
        if (++transactions_ == 64)
            context_.coveragep()->zero();
    }

  private:
    VerilatedEnd end_;
    bool stopped_ = false;
    uint64_t transactions_ = 0;

    static VerilatedContext *prepared(VerilatedContext &context, uint64_t seed)
    {
        context.fatalOnError(false); // an assertion that fails is a difference, not the end of the process
        context.randReset(2);
        context.randSeed(static_cast<int>(seed & 0x7ffffffe) | 1);
        Waves::prepare(context);
        return &context;
    }

    void eval()
    {
        try {
            if (!stopped_)
                top.eval();
        } catch (const VerilatedStopped &) {
            stopped_ = true;
        }
        if (*end_.text)
            breaks(end_.text);
    }
};

// ---- functions that need a design's ports: keep_busy(design, manner) drives them while nothing may be
// accepted, and reset(design, manner) resets; both are in the namespace of the design ----

// Runs clocks before the first reset, which are not checked, and then that reset.
template <class Design> void first_reset(Design &b, rtl_manner m)
{
#ifdef RTL_MUTANTS
    b.top.mutant_i = 0; // an input is random before, and might be the number of a mutant
#endif
    b.top.clk_i = 0;
    b.top.rst_ni = 1;
    b.enter();
    b.judge(false);
    for (int n = 0; n < 4; n++) {
        keep_busy(b, m);
        b.settle();
        b.edge();
    }
    b.top.clk_i = 0;
    b.top.rst_ni = 0;
    b.settle();
    b.judge(true);
    reset(b, m);
}

template <class Design> Design &design_of(void *rtl)
{
    return *static_cast<Design *>(rtl);
}

template <class Design> const Design &design_of(const void *rtl)
{
    return *static_cast<const Design *>(rtl);
}

template <class Design> void mutate([[maybe_unused]] void *rtl, [[maybe_unused]] unsigned mutant)
{
#ifdef RTL_MUTANTS
    auto &b = design_of<Design>(rtl);
    b.enter();
    b.top.mutant_i = static_cast<uint16_t>(mutant);
    b.settle();
    b.edge();
    b.wrong = nullptr;
    reset(b, {mutant + 1, 0});
#endif
}

#ifdef RTL_MUTANTS
constexpr bool carries_mutants = true;
#else
constexpr bool carries_mutants = false;
#endif

template <class Design>
constexpr rtl_verilated verilated = {
    [](void *rtl) { delete &design_of<Design>(rtl); },
    carries_mutants ? mutate<Design> : nullptr,
    [](const void *rtl) { return design_of<Design>(rtl).wrong; },
    [](const void *rtl) { return design_of<Design>(rtl).clocks; },
    [](const void *rtl, const char *file) { design_of<Design>(rtl).cover(file); },
    [](void *rtl, const char *file, uint64_t number) {
        auto &b = design_of<Design>(rtl);
        b.waves.at(b.top, file, number);
    }};

// Returns n bits of a vector from `at` on. The vector's type depends on its width.
template <class Vector> uint64_t bits_of(const Vector &v, unsigned at, unsigned n)
{
    uint64_t mask = ~uint64_t{0} >> (64 - n);
    if constexpr (std::is_integral_v<Vector>) {
        return static_cast<uint64_t>(v) >> at & mask;
    } else {
        uint64_t bits = v.data()[at / 32] >> at % 32;
        for (unsigned got = 32 - at % 32, word = at / 32 + 1; got < n; got += 32, word++)
            bits |= static_cast<uint64_t>(v.data()[word]) << got;
        return bits & mask;
    }
}

#endif
