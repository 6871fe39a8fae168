// SPDX-License-Identifier: Apache-2.0
// Records in the database what servers of page faults do during a window of the run, and which pages are
// resident.
#ifndef MP_GPU_MANAGED_WINDOW_H
#define MP_GPU_MANAGED_WINDOW_H

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "db/db.h"
#include "gpu/tlm/hook.h"
#include "paging/paging.h"
#include "platform.h"

namespace mp
{

// Address space t is that of tenant t.
class ManagedWindowHook : public Hook
{
  public:
    explicit ManagedWindowHook(const mp_window &window) : Hook("gpu*"), window_(window) {}
    bool wants(const mp_plan_block &) const override { return false; }
    bool optional() const override { return true; }
    void serves(Kernel &kernel, const std::string &path, mp_paging &paging) override;

    // After the run, which ended in cycle `end`. Writes nothing if the run had not begun the window.
    int write(mp_db *db, uint64_t end, mp_error *err);

  private:
    struct Server {
        mp_window window;
        std::string path;
        uint32_t page_bytes;
        std::vector<mp_db_managed_action> actions;
        std::vector<mp_db_managed_resident> resident;
        std::map<std::pair<unsigned, uint64_t>, uint32_t> now; // resident pages by space and block
        bool begun = false;                                    // the window

        void begin(); // at the first change in the window, or after it
        void change(unsigned asid, uint64_t block, uint32_t pages, uint64_t cycle);
        void took(const mp_paging_action &a);
    };
    static void action(void *server, const mp_paging_action *a);

    mp_window window_;
    std::vector<std::unique_ptr<Server>> servers_;
};

} // namespace mp

#endif
