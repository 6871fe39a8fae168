// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/block_log.h"

#include <cinttypes>
#include <cstdlib>
#include <new>

#include "gpu/tlm/stand_in.h"

namespace mp
{

namespace
{

// --- an array ---------------------------------------------------------------------------------------

void write_lookup(std::FILE *out, uint16_t asid, uint64_t vpn)
{
    std::fprintf(out, "L %u 0x%" PRIx64 "\n", asid, vpn);
}

void write_insert(std::FILE *out, const mp_tlb_policy *, uint16_t asid, uint64_t vpn, mp_translation to)
{
    std::fprintf(out, "I %u 0x%" PRIx64 " 0x%" PRIx64 "\n", asid, vpn, to.pfn);
}

void write_page(std::FILE *out, uint16_t asid, uint64_t vpn)
{
    std::fprintf(out, "V %u 0x%" PRIx64 "\n", asid, vpn);
}

void write_asid(std::FILE *out, const mp_tlb_policy *, const void *, uint16_t asid)
{
    std::fprintf(out, "A %u\n", asid);
}

void write_all(std::FILE *out)
{
    std::fputs("F\n", out);
}

const mp_rtl_array_writer array = {write_lookup, write_insert, write_page, write_asid, write_all};

// Is between a TLB and its array. Must go before the TLB.
class ArrayLog : public Attachment
{
  public:
    ArrayLog(mp_tlb &tlb, const mp_rtl_array_writer &writer, std::FILE *out);
    ~ArrayLog() override;
    ArrayLog(const ArrayLog &) = delete;
    ArrayLog &operator=(const ArrayLog &) = delete;

  private:
    static ArrayLog *of(const void *state) { return *static_cast<ArrayLog *const *>(state); }
    static mp_tlb_hit lookup(void *state, uint16_t asid, uint64_t vpn);
    static mp_tlb_hit peek(const void *state, uint16_t asid, uint64_t vpn);
    static mp_tlb_insertion insert(void *state, uint16_t asid, uint64_t vpn, mp_translation to,
                                   mp_tlb_left *left);
    static uint32_t invalidate_page(void *state, uint16_t asid, uint64_t vpn, mp_tlb_left *left);
    static uint32_t invalidate_asid(void *state, uint16_t asid);
    static uint32_t invalidate_all(void *state);
    static uint64_t occupancy(const void *state, uint16_t asid);
    static void *counters(void *state);
    static void answered(void *state, uint16_t asid, mp_span span);

    mp_tlb &tlb_;
    const mp_rtl_array_writer &writer_;
    const mp_tlb_policy *policy_;
    mp_tlb_policy table_; // the policy's, with the functions here
    void *state_, *own_;  // the array's state; the TLB's instead, which is a pointer to this object
    std::FILE *out_;
};

ArrayLog::ArrayLog(mp_tlb &tlb, const mp_rtl_array_writer &writer, std::FILE *out)
    : tlb_(tlb), writer_(writer), policy_(tlb.policy), table_{}, state_(tlb.state),
      own_(std::malloc(sizeof(void *))), out_(out)
{
    if (!own_)
        throw std::bad_alloc();
    table_.design = policy_->design;
    table_.reach = policy_->reach;
    table_.misses_repeat = policy_->misses_repeat;
    table_.lookup = lookup;
    table_.peek = peek;
    table_.insert = insert;
    table_.invalidate_page = invalidate_page;
    table_.invalidate_asid = invalidate_asid;
    table_.invalidate_all = invalidate_all;
    table_.occupancy = occupancy;
    table_.counters = policy_->counters ? counters : nullptr;
    table_.answered = policy_->answered ? answered : nullptr;
    stand_in(own_, this);
    tlb.policy = &table_;
    tlb.state = own_;
}

ArrayLog::~ArrayLog()
{
    tlb_.policy = policy_;
    tlb_.state = state_; // which the TLB frees
    std::free(own_);
}

mp_tlb_hit ArrayLog::lookup(void *state, uint16_t asid, uint64_t vpn)
{
    ArrayLog *log = of(state);
    log->writer_.lookup(log->out_, asid, vpn);
    return log->policy_->lookup(log->state_, asid, vpn);
}

mp_tlb_hit ArrayLog::peek(const void *state, uint16_t asid, uint64_t vpn)
{
    const ArrayLog *log = of(state);
    return log->policy_->peek(log->state_, asid, vpn);
}

mp_tlb_insertion ArrayLog::insert(void *state, uint16_t asid, uint64_t vpn, mp_translation to,
                                  mp_tlb_left *left)
{
    ArrayLog *log = of(state);
    log->writer_.insert(log->out_, log->policy_, asid, vpn, to);
    return log->policy_->insert(log->state_, asid, vpn, to, left);
}

uint32_t ArrayLog::invalidate_page(void *state, uint16_t asid, uint64_t vpn, mp_tlb_left *left)
{
    ArrayLog *log = of(state);
    log->writer_.invalidate_page(log->out_, asid, vpn);
    return log->policy_->invalidate_page(log->state_, asid, vpn, left);
}

uint32_t ArrayLog::invalidate_asid(void *state, uint16_t asid)
{
    ArrayLog *log = of(state);
    log->writer_.invalidate_asid(log->out_, log->policy_, log->state_, asid);
    return log->policy_->invalidate_asid(log->state_, asid);
}

uint32_t ArrayLog::invalidate_all(void *state)
{
    ArrayLog *log = of(state);
    log->writer_.invalidate_all(log->out_);
    return log->policy_->invalidate_all(log->state_);
}

uint64_t ArrayLog::occupancy(const void *state, uint16_t asid)
{
    const ArrayLog *log = of(state);
    return log->policy_->occupancy(log->state_, asid);
}

void *ArrayLog::counters(void *state)
{
    const ArrayLog *log = of(state);
    return log->policy_->counters(log->state_);
}

void ArrayLog::answered(void *state, uint16_t asid, mp_span span)
{
    const ArrayLog *log = of(state);
    log->policy_->answered(log->state_, asid, span);
}

// --- a directory ------------------------------------------------------------------------------------

// Is between an L1 TLB and its directory. Must go before the TLB.
class DirectoryLog : public Attachment
{
  public:
    DirectoryLog(mp_neighbour &n, const mp_rtl_directory_writer &writer, std::FILE *out)
        : n_(n), inner_(n), writer_(writer), out_(out)
    {
        n.keeper = &keeper;
        n.kept = this;
    }
    ~DirectoryLog() override
    {
        n_.keeper = inner_.keeper;
        n_.kept = inner_.kept;
    }
    DirectoryLog(const DirectoryLog &) = delete;
    DirectoryLog &operator=(const DirectoryLog &) = delete;

  private:
    static const mp_neighbour_keeper keeper;
    static DirectoryLog *of(const mp_neighbour *n) { return static_cast<DirectoryLog *>(n->kept); }
    static mp_neighbour_page base(const mp_neighbour *n, mp_neighbour_page page)
    {
        page.vpn >>= n->base_shift;
        return page;
    }
    static uint8_t named(const mp_neighbour *n, mp_neighbour_page page);
    static void changed(mp_neighbour *n, mp_neighbour_page page, bool inserted);
    static mp_directory_victim heard(mp_neighbour *n, uint8_t side, mp_neighbour_page page, bool inserted);
    static void drop(mp_neighbour *n, mp_neighbour_page page);
    static void empty(mp_neighbour *n);

    mp_neighbour &n_;
    mp_neighbour inner_; // as it was, for its keeper, which changes only what it points to
    const mp_rtl_directory_writer &writer_;
    std::FILE *out_;
};

const mp_neighbour_keeper DirectoryLog::keeper = {named, changed, heard, drop, empty};

uint8_t DirectoryLog::named(const mp_neighbour *n, mp_neighbour_page page)
{
    const DirectoryLog *log = of(n);
    log->writer_.lookup(log->out_, base(n, page));
    return log->inner_.keeper->named(&log->inner_, page);
}

void DirectoryLog::changed(mp_neighbour *n, mp_neighbour_page page, bool inserted)
{
    DirectoryLog *log = of(n);
    log->writer_.change(log->out_, 0, base(n, page), inserted, false);
    log->inner_.keeper->changed(&log->inner_, page, inserted);
}

mp_directory_victim DirectoryLog::heard(mp_neighbour *n, uint8_t side, mp_neighbour_page page, bool inserted)
{
    DirectoryLog *log = of(n);
    log->writer_.change(log->out_, side, base(n, page), inserted,
                        inserted && n->holds(n->tlb, page.asid, page.vpn));
    return log->inner_.keeper->heard(&log->inner_, side, page, inserted);
}

void DirectoryLog::drop(mp_neighbour *n, mp_neighbour_page page)
{
    DirectoryLog *log = of(n);
    log->writer_.drop(log->out_, base(n, page));
    log->inner_.keeper->drop(&log->inner_, page);
}

void DirectoryLog::empty(mp_neighbour *n)
{
    DirectoryLog *log = of(n);
    log->writer_.empty(log->out_);
    log->inner_.keeper->empty(&log->inner_);
}

} // namespace

// --- the hook ---------------------------------------------------------------------------------------

const mp_rtl_writer array_writer = {&array, nullptr, nullptr, nullptr};

std::unique_ptr<Attachment> BlockLogHook::attach(const Site &site, void *model)
{
    if (writer_.scan || writer_.prefetch)
        return nullptr;
    auto &tlb = *static_cast<mp_tlb *>(model);
    if (site.block().kind != &mp_tlb_kind)
        throw Refused("--observe: " + what_ + " is no TLB; the path of one");
    if (writer_.directory && (!tlb.exchange || !mp_exchange_directory(tlb.exchange)))
        throw Refused("--observe: " + what_ + " has no directory; the path of an L1 TLB");
    if (writer_.directory)
        return std::make_unique<DirectoryLog>(*mp_exchange_neighbour(tlb.exchange), *writer_.directory, out_);
    if (tlb.policy->asked)
        throw Refused("--observe " + what_ + ": " + site.block().level + ".policy " +
                      tlb.policy->design.name +
                      " needs warps, which stimuli do not have; choose another policy");
    return std::make_unique<ArrayLog>(tlb, *writer_.array, out_);
}

bool BlockLogHook::scan(void *scanner, mp_contiguity *c, mp_page_table *t, uint64_t at)
{
    auto *s = static_cast<Scanner *>(scanner);
    s->hook->writer_.scan(s->hook->out_, s->hook->leaf_.data(), t, at);
    return s->scanner ? s->scanner(s->self, c, t, at) : mp_contiguity_scan_at(c, t, at);
}

void BlockLogHook::scans(Kernel &, const std::string &, mp_contiguity &c, const mp_page_table &)
{
    if (!writer_.scan)
        return;
    scanners_.push_back(std::make_unique<Scanner>(Scanner{this, c.scanner, c.scanner_self}));
    c.scanner = scan;
    c.scanner_self = scanners_.back().get();
}

void BlockLogHook::prefetch(void *server, const mp_uvm_look *block, mp_uvm_mask *out)
{
    auto *s = static_cast<Server *>(server);
    s->hook->writer_.prefetch(s->hook->out_, block);
    if (s->tree.pages)
        s->tree.pages(s->tree.self, block, out);
    else
        mp_uvm_prefetch_tree.pages(block, out);
}

void BlockLogHook::serves(Kernel &, const std::string &, mp_paging &server)
{
    if (!writer_.prefetch)
        return;
    servers_.push_back(std::make_unique<Server>(Server{this, {}}));
    servers_.back()->tree = mp_paging_stand_in(&server, {prefetch, servers_.back().get()});
}

} // namespace mp
