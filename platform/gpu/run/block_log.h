// SPDX-License-Identifier: Apache-2.0
// Writes what happens in a block, in order, as stimuli: every lookup, insertion and invalidation of a TLB's
// array or directory, every scan for contiguity bits, or every service that asks for prefetches.
#ifndef MP_GPU_BLOCK_LOG_H
#define MP_GPU_BLOCK_LOG_H

#include <cstdio>

#include "gpu/tlm/hook.h"
#include "paging/paging.h"
#include "rtl_run.h"

namespace mp
{

// Of arrays, as `mempath replay tlb` and `cosim star` read them.
extern const mp_rtl_writer array_writer;

// Attaches a log to each TLB whose path matches, to all scans, or to all servers of page faults.
class BlockLogHook : public Hook
{
  public:
    // what: the option's value, for messages.
    BlockLogHook(std::string what, std::string pattern, const mp_rtl_writer &writer, std::FILE *out)
        : Hook(std::move(pattern)), what_(std::move(what)), writer_(writer), out_(out), leaf_(512)
    {
    }
    std::unique_ptr<Attachment> attach(const Site &site, void *model) override;
    void scans(Kernel &kernel, const std::string &path, mp_contiguity &c, const mp_page_table &t) override;
    void serves(Kernel &kernel, const std::string &path, mp_paging &server) override;

  private:
    struct Scanner {
        BlockLogHook *hook;
        mp_contiguity_scanner *scanner; // that it is in front of; nullptr: software
        void *self;
    };
    struct Server {
        BlockLogHook *hook;
        mp_uvm_prefetcher tree; // that it is in front of; pages is nullptr: software
    };
    static void prefetch(void *server, const mp_uvm_look *block, mp_uvm_mask *out);
    static bool scan(void *scanner, mp_contiguity *c, mp_page_table *t, uint64_t at);

    std::string what_;
    const mp_rtl_writer &writer_;
    std::FILE *out_;
    std::vector<uint64_t> leaf_; // of the scan before
    std::vector<std::unique_ptr<Scanner>> scanners_;
    std::vector<std::unique_ptr<Server>> servers_;
};

} // namespace mp

#endif
