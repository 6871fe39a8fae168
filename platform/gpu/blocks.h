// SPDX-License-Identifier: Apache-2.0
// A block of the memory path: an sc_module that owns one C model and the sockets around it.
#ifndef MP_GPU_BLOCKS_H
#define MP_GPU_BLOCKS_H

#include <memory>
#include <string>
#include <vector>

#include "cache/cache.h"
#include "dram/dram.h"
#include "gpu/ports.h"
#include "sm/sm.h"
#include "tlb/tlb.h"
#include "walk/walk.h"

namespace mp
{

// Untimed access for debuggers: what a block may look at without disturbing its model.
struct Backdoor {
    mp_physmem *memory;
    const std::vector<mp_page_table> *tables; // by asid
};

// What every block is made from.
struct Fabric {
    Kernel &kernel;
    PayloadPool &payloads;
    Backdoor backdoor;
    unsigned line_bytes;
};

class Block : public sc_core::sc_module
{
  public:
    explicit Block(const sc_core::sc_module_name &name) : sc_module(name) {}
    void connect(bool force_tlm)
    {
        for (auto &port : out)
            port->connect(force_tlm);
    }
    std::vector<std::unique_ptr<TargetPort>> in;
    std::vector<std::unique_ptr<InitiatorPort>> out;
};

class SmBlock : public Block
{
  public:
    SmBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_sm_params &params);
    ~SmBlock() override { mp_sm_free(&model); }
    mp_sm model; // out: 0 translation, 1 data
};

class TlbBlock : public Block
{
  public:
    // links: how many different targets answer misses. link_of_tenant: which one answers whose.
    TlbBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_tlb_params &params,
             const std::vector<uint32_t> &link_of_tenant);
    ~TlbBlock() override { mp_tlb_free(&model); }
    mp_tlb model;
};

class WalkBlock : public Block
{
  public:
    WalkBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_walk_params &params);
    ~WalkBlock() override { mp_walk_free(&model); }
    mp_walk model; // out: 0 page table reads, only when they go through memory
};

class CacheBlock : public Block
{
  public:
    CacheBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_cache_params &params);
    ~CacheBlock() override { mp_cache_free(&model); }
    mp_cache model;
};

class DramBlock : public Block
{
  public:
    DramBlock(Fabric &f, const sc_core::sc_module_name &name, const mp_dram_params &params);
    ~DramBlock() override { mp_dram_free(&model); }
    mp_dram model;
};

} // namespace mp

#endif
