// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/windows.h"

#include <cinttypes>
#include <new>

#include "db/db.h"

namespace mp
{

static_assert(MP_DB_NOT_ENDED == MP_NEVER && MP_DB_NO_TENANT == MP_WALK_NOBODY);

Windows::Windows(Gpu &gpu, const mp_run &run) : gpu_(gpu), run_(run)
{
    if (run.window.first == run.window.last)
        return;
    for (size_t i = 0; i < gpu.components.size(); i++)
        if (gpu.components[i].block == &mp_walk_kind)
            systems_.push_back({i, {}});
    for (System &s : systems_) {
        const Component &c = gpu.components[s.component];
        uint32_t tenants = c.tenant >= 0 ? 1u << c.tenant : (1u << run.config->ntenants) - 1;
        if (mp_walk_window_init(&s.window, static_cast<mp_walk *>(c.model), run.window.first, run.window.last,
                                tenants))
            throw std::bad_alloc();
    }
}

Windows::~Windows()
{
    for (System &s : systems_)
        mp_walk_window_free(&s.window);
}

int Windows::write_one(mp_db *db, const Component &c, mp_walk_window &w, mp_error *err)
{
    if (mp_walk_window_close(&w))
        return mp_fail(err, "--trace-window: out of memory; a shorter window is needed");
    std::vector<mp_db_walk> walks;
    std::vector<mp_db_walk_change> waiting, owners;
    walks.reserve(w.spans);
    for (size_t i = 0; i < w.spans; i++) {
        const mp_walk_span &s = w.span[i];
        walks.push_back(
            {s.page, s.arrived, s.started, s.ended, s.walker, s.levels, s.tenant, s.asid, s.owner});
    }
    waiting.reserve(w.waits);
    for (size_t i = 0; i < w.waits; i++)
        waiting.push_back({w.wait[i].cycle, w.wait[i].tenant, w.wait[i].walks});
    owners.reserve(w.owners);
    for (size_t i = 0; i < w.owners; i++)
        owners.push_back({w.owned[i].cycle, w.owned[i].walker, w.owned[i].tenant});
    int component = mp_db_component(db, c.path.c_str(), c.kind.c_str(), err);
    if (component < 0)
        return -1;
    const struct mp_db_walk_window window = {
        component,      w.first,
        w.last,         static_cast<const mp_walk *>(c.model)->p.geometry.walkers,
        walks.size(),   waiting.size(),
        owners.size(),  walks.data(),
        waiting.data(), owners.data()};
    return mp_db_walk_window(db, &window, err);
}

int Windows::write(mp_db *db, bool interrupted, mp_error *err)
{
    uint64_t end = gpu_.kernel.now();
    if (systems_.empty() || (interrupted && end <= run_.window.first))
        return 0;
    if (end <= run_.window.first)
        return mp_fail(err,
                       "--trace-window: cycle %" PRIu64 " is not in the run, whose last is %" PRIu64
                       "; choose an earlier one",
                       run_.window.first, end - 1);
    for (System &s : systems_)
        if (write_one(db, gpu_.components[s.component], s.window, err))
            return -1;
    return 0;
}

} // namespace mp
