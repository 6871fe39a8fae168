// SPDX-License-Identifier: Apache-2.0
#include "soc/workloads.h"

#include <algorithm>
#include <cstdio>

#include "gpu/configure.h"

namespace mp::soc
{

Workloads::~Workloads()
{
    for (auto &w : list_)
        for (gwt_reader *r : w.spare)
            gwt_close(r);
}

int Workloads::open(const mp_soc_run &run, mp_error *err)
{
    host_accesses_ = run.machine->uvm.host_accesses;
    for (unsigned n = 0; n < MP_SOC_WORKLOADS; n++) {
        if (!run.workload[n])
            continue;
        gwt_reader *reader;
        if (mp_machine_open_trace(&reader, run.machine, run.workload[n], run.checked, err))
            return -1;
        list_.resize(n + 1);
        list_[n].path = run.workload[n];
        list_[n].checked = run.checked;
        list_[n].machine = run.machine;
        list_[n].spare.push_back(reader);
    }
    return 0;
}

mp_mig_host Workloads::host()
{
    return {this, static_cast<unsigned>(list_.size()), buffer, lend, give_back, refused, host_accesses_};
}

Workloads::Workload *Workloads::find(unsigned number)
{
    return number < list_.size() && list_[number].path ? &list_[number] : nullptr;
}

gwt_reader *Workloads::take(Workload &w, mp_error *err)
{
    gwt_reader *reader;
    if (w.spare.empty())
        return mp_machine_open_trace(&reader, w.machine, w.path, w.checked, err) ? nullptr : reader;
    reader = w.spare.back();
    w.spare.pop_back();
    if (!gwt_rewind(reader, err))
        return reader;
    gwt_close(reader);
    return nullptr;
}

// What a trace maps comes and goes. Firmware that maps ahead maps all of it, once.
static void add_union(std::vector<mp_mgmt_memory> &buffers, std::vector<mp_mgmt_memory> ranges)
{
    std::sort(ranges.begin(), ranges.end(),
              [](const mp_mgmt_memory &a, const mp_mgmt_memory &b) { return a.base < b.base; });
    const size_t first = buffers.size();
    for (const mp_mgmt_memory &r : ranges) {
        mp_mgmt_memory *last = buffers.size() > first ? &buffers.back() : nullptr;
        if (!last || r.base > last->base + last->bytes)
            buffers.push_back(r);
        else
            last->bytes = std::max(last->bytes, r.base + r.bytes - last->base);
    }
}

void Workloads::list_buffers(Workload &w)
{
    std::vector<mp_mgmt_memory> mapped;
    gwt_record r{};
    mp_error err;
    gwt_reader *reader = take(w, &err);
    w.listed = true;
    if (!reader)
        return refused(nullptr, err.text);
    while (!gwt_next(reader, &r, &err) && r.kind != GWT_END) {
        if (r.kind == GWT_ALLOC || r.kind == GWT_MAP)
            (r.kind == GWT_MAP ? mapped : w.buffers).push_back({r.va, r.bytes});
        if (r.kind == GWT_CTA)
            gwt_cta_release(reader, r.cta);
    }
    add_union(w.buffers, mapped);
    w.spare.push_back(reader);
}

bool Workloads::buffer(void *self, unsigned number, unsigned which, mp_mgmt_memory *b)
{
    Workload *w = static_cast<Workloads *>(self)->find(number);
    if (w && !w->listed)
        list_buffers(*w);
    if (!w || which >= w->buffers.size())
        return false;
    *b = w->buffers[which];
    return true;
}

gwt_reader *Workloads::lend(void *self, unsigned number)
{
    Workload *w = static_cast<Workloads *>(self)->find(number);
    mp_error err;
    gwt_reader *reader = w ? take(*w, &err) : nullptr;
    if (w && !reader)
        refused(self, err.text);
    return reader;
}

void Workloads::give_back(void *self, unsigned number, gwt_reader *reader)
{
    static_cast<Workloads *>(self)->find(number)->spare.push_back(reader);
}

void Workloads::refused(void *, const char *why)
{
    std::fprintf(stderr, "mempath: %s\n", why);
}

} // namespace mp::soc
