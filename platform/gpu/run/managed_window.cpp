// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/managed_window.h"

#include <algorithm>

namespace mp
{

namespace
{

// Those that are on the time line.
const char *const names[MP_PAGING_KINDS] = {"fault",   "batch",    "service", "victim", "invalidation",
                                            "copy in", "copy out", "zeroing", "replay"};

constexpr uint64_t block_of(uint64_t va)
{
    return va & ~uint64_t{MP_UVM_BLOCK_BYTES - 1};
}

} // namespace

void ManagedWindowHook::serves(Kernel &, const std::string &path, mp_paging &paging)
{
    servers_.push_back(std::make_unique<Server>());
    Server &s = *servers_.back();
    s.window = window_;
    s.path = path;
    s.page_bytes = mp_paging_page_bytes(&paging);
    mp_paging_watch(&paging, action, &s);
}

void ManagedWindowHook::Server::begin()
{
    for (const auto &[at, pages] : now)
        if (!begun && pages)
            resident.push_back({at.first, at.second, window.first, pages});
    begun = true;
}

void ManagedWindowHook::Server::change(unsigned asid, uint64_t block, uint32_t pages, uint64_t cycle)
{
    if (cycle >= window.first)
        begin();
    now[{asid, block}] = pages;
    if (cycle >= window.first && cycle < window.last)
        resident.push_back({asid, block, cycle, pages});
}

void ManagedWindowHook::Server::took(const mp_paging_action &a)
{
    const uint64_t block = block_of(a.va);
    switch (a.kind) {
    case MP_PAGING_MAPPED:
        return change(a.asid, block, now[{a.asid, block}] + a.pages, a.began);
    case MP_PAGING_UNMAPPED:
        return change(a.asid, block, now[{a.asid, block}] - a.pages, a.began);
    default:
        if (a.began < window.last && a.ended >= window.first)
            actions.push_back({names[a.kind], a.asid, a.began, a.ended, a.va, a.pages});
    }
}

void ManagedWindowHook::action(void *server, const mp_paging_action *a)
{
    static_cast<Server *>(server)->took(*a);
}

int ManagedWindowHook::write(mp_db *db, uint64_t end, mp_error *err)
{
    if (end <= window_.first)
        return 0;
    const uint64_t last = std::min(window_.last, end);
    for (const auto &s : servers_) {
        s->begin();
        // the run has ended before a copy that waited for the link began
        auto &a = s->actions;
        a.erase(
            std::remove_if(a.begin(), a.end(), [last](const auto &action) { return action.began >= last; }),
            a.end());
        const int component = mp_db_component(db, s->path.c_str(), "uvm", err);
        const struct mp_db_managed_window w = {component,         window_.first,     last,
                                               s->page_bytes,     s->actions.size(), s->resident.size(),
                                               s->actions.data(), s->resident.data()};
        if (component < 0 || mp_db_managed_window(db, &w, err))
            return -1;
    }
    return 0;
}

} // namespace mp
