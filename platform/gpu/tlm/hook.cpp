// SPDX-License-Identifier: Apache-2.0
#include "gpu/tlm/hook.h"

#include <algorithm>
#include <cctype>
#include <fnmatch.h>
#include <vector>

namespace mp
{

bool Hook::wants(const mp_plan_block &block) const
{
    return !fnmatch(pattern_.c_str(), block.path, 0);
}

std::unique_ptr<Tap> Hook::tap(const Site &, const mp_plan_link &, const std::string &)
{
    return nullptr;
}

std::unique_ptr<Foreign> Hook::replace(const Site &, const std::string &)
{
    return nullptr;
}

void Hook::change(const Site &, void *) {}

std::unique_ptr<Attachment> Hook::attach(const Site &, void *)
{
    return nullptr;
}

void Hook::scans(Kernel &, const std::string &, mp_contiguity &, const mp_page_table &) {}
void Hook::serves(Kernel &, const std::string &, mp_paging &) {}

namespace
{

// Turns a path into a pattern. A number at the end of any word but the last is that of a place:
// gpu.gpc3.l2_tlb becomes gpu.gpc*.l2_tlb. The last word ends in a number if there is one such block per
// tenant: gpu.walk1 becomes gpu.walk*.
std::string pattern_of(const mp_plan_block &block)
{
    std::string path = block.path, level = block.level, pattern;
    size_t last = path.rfind('.') + 1;
    bool numbered = path.substr(last) != level;
    for (size_t i = 0; i < path.size(); i++) {
        bool ends_word = i + 1 == path.size() || path[i + 1] == '.';
        if (!std::isdigit(static_cast<unsigned char>(path[i])) || (i >= last && !numbered)) {
            pattern += path[i];
        } else if (ends_word) {
            while (std::isdigit(static_cast<unsigned char>(pattern.back())))
                pattern.pop_back();
            pattern += '*';
        } else {
            pattern += path[i];
        }
    }
    return pattern;
}

} // namespace

std::string paths_of(const mp_plan &plan)
{
    std::vector<std::string> patterns;
    std::string all;
    for (uint32_t i = 0; i < plan.blocks; i++) {
        if (!plan.block[i].ins)
            continue;
        std::string pattern = pattern_of(plan.block[i]);
        if (std::find(patterns.begin(), patterns.end(), pattern) != patterns.end())
            continue;
        all += (patterns.empty() ? "" : ", ") + pattern;
        patterns.push_back(std::move(pattern));
    }
    return all;
}

} // namespace mp
