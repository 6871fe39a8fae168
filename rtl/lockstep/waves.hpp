// SPDX-License-Identifier: Apache-2.0
// Waves of a Verilated design, an FST file. A design that was Verilated without waves has none, at no cost.
#ifndef MP_RTL_WAVES_HPP
#define MP_RTL_WAVES_HPP

#ifdef RTL_WAVES
#include <memory>
#include <verilated_fst_c.h>

class Waves
{
  public:
    // Call once, before the first clock.
    static void prepare(VerilatedContext &context) { context.traceEverOn(true); }

    // The next clocks belong to this number (of a transaction or a cycle), which is also a signal in the
    // file. If file is nullptr, no waves are written. A file is overwritten when waves start.
    template <class Design> void at(Design &top, const char *file, uint64_t number)
    {
        number_ = number;
        if (file && !file_) {
            file_ = std::make_unique<VerilatedFstC>();
            top.trace(file_.get(), 99);
            VerilatedFst *trace = file_->spTrace();
            trace->addInitCb(declare, this);
            trace->addFullCb(first, this);
            trace->addChgCb(changed, this);
            file_->open(file);
        } else if (!file) {
            file_.reset();
        }
    }

    // The time has two steps per clock, low and high.
    void dump(uint64_t time)
    {
        if (file_)
            file_->dump(time);
    }

  private:
    static void declare(void *waves, VerilatedFst *trace, uint32_t code)
    {
        static_cast<Waves *>(waves)->code_ = code;
        trace->scopeEscape(' ');
        trace->pushNamePrefix("mempath ");
        trace->declQuad(code, "number", -1, FST_VD_IMPLICIT, FST_VT_VCD_INTEGER, false, -1, 63, 0);
        trace->popNamePrefix();
        trace->scopeEscape('.');
    }

    static void first(void *waves, VerilatedFst::Buffer *to)
    {
        const auto *w = static_cast<const Waves *>(waves);
        to->fullQData(to->oldp(w->code_), w->number_, 64);
    }

    static void changed(void *waves, VerilatedFst::Buffer *to)
    {
        const auto *w = static_cast<const Waves *>(waves);
        to->chgQData(to->oldp(w->code_), w->number_, 64);
    }

    uint32_t code_ = 0;
    uint64_t number_ = 0;
    std::unique_ptr<VerilatedFstC> file_;
};
#else
class Waves
{
  public:
    static void prepare(VerilatedContext &) {}
    template <class Design> void at(Design &, const char *, uint64_t) {}
    void dump(uint64_t) {}
};
#endif

#endif
