// SPDX-License-Identifier: Apache-2.0
// A memory channel in the shape that DRAM simulators of third parties have: it takes a request or refuses it,
// runs in ticks of its own clock, and calls back when a request is done. It knows nothing of mempath. Banks
// with an open row each, one data bus, and a queue from which the oldest request goes whose bank is free.
#ifndef BANK_MODEL_H
#define BANK_MODEL_H

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

class BankModel
{
  public:
    struct Timing {                                               // in ticks
        unsigned column = 14, row = 28, burst = 4, recovery = 12; // recovery: of a bank, after a write
    };
    explicit BankModel(const Timing &timing) : timing_(timing), banks_(16) {}

    // False: the queue is full, and nothing has happened.
    bool send(uint64_t address, bool is_write, std::function<void()> done)
    {
        if (queue_.size() == 32)
            return false;
        queue_.push_back({address / row_bytes, is_write, std::move(done)});
        return true;
    }
    void tick()
    {
        now_++;
        while (!done_.empty() && done_.begin()->first <= now_) {
            auto call = std::move(done_.begin()->second);
            done_.erase(done_.begin());
            call();
        }
        auto next = std::find_if(queue_.begin(), queue_.end(),
                                 [this](const Request &r) { return bank(r.row).free <= now_; });
        if (next == queue_.end())
            return;
        issue(*next);
        queue_.erase(next);
    }

  private:
    static constexpr uint64_t row_bytes = 2048;
    struct Request {
        uint64_t row;
        bool is_write;
        std::function<void()> done;
    };
    struct Bank {
        uint64_t open = UINT64_MAX, free = 0;
    };
    Bank &bank(uint64_t row) { return banks_[row % banks_.size()]; }
    void issue(Request &r)
    {
        Bank &b = bank(r.row);
        bool hit = b.open == r.row;
        uint64_t data = std::max(now_ + (hit ? 0 : timing_.row) + timing_.column, bus_free_);
        bus_free_ = data + timing_.burst;
        b = {r.row, bus_free_ + (r.is_write ? timing_.recovery : 0)};
        done_.emplace(bus_free_, std::move(r.done));
    }

    Timing timing_;
    uint64_t now_ = 0, bus_free_ = 0;
    std::vector<Bank> banks_;
    std::vector<Request> queue_;
    std::multimap<uint64_t, std::function<void()>> done_; // by tick
};

#endif
