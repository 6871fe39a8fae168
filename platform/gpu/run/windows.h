// SPDX-License-Identifier: Apache-2.0
// Records in the database the actions of all walkers during a window of the run, with an observer in each
// page-walk system.
#ifndef MP_GPU_WINDOWS_H
#define MP_GPU_WINDOWS_H

#include <vector>

#include "gpu/gpu.h"
#include "platform.h"
#include "walk/window.h"

struct mp_db;

namespace mp
{

class Windows
{
  public:
    // Starts to observe, unless the run has no window.
    Windows(Gpu &gpu, const mp_run &run);
    ~Windows();
    Windows(const Windows &) = delete;
    Windows &operator=(const Windows &) = delete;

    // Writes the window. To be called after the run.
    int write(mp_db *db, bool interrupted, mp_error *err);

  private:
    int write_one(mp_db *db, const Component &c, mp_walk_window &w, mp_error *err);

    struct System {
        size_t component;
        mp_walk_window window;
    };
    Gpu &gpu_;
    const mp_run &run_;
    std::vector<System> systems_; // must not be resized once observers refer to it
};

} // namespace mp

#endif
