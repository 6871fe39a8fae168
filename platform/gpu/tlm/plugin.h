// SPDX-License-Identifier: Apache-2.0
// SystemC modules of a plugin (engine/plugin.h), in C++: they are attached to the machine of every run.
//
//   static void modules(mp_hooks *hooks)
//   {
//       hooks->add<mp::TapHook>("gpu.l3_tlb", make_tap);
//   }
//   const mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "mine", nullptr, modules};
//
// Plugin and program must use the same shared SystemC. gpu/tlm/tap.h has a tap to derive from.
#ifndef MP_GPU_PLUGIN_H
#define MP_GPU_PLUGIN_H

#include <memory>
#include <utility>
#include <vector>

#include "engine/plugin.h"
#include "gpu/tlm/hook.h"

// The hooks of a run's plugins, in the order in which they are attached. Each must match a block.
struct mp_hooks {
    std::vector<std::unique_ptr<mp::Hook>> all;

    template <class T, class... Arguments> void add(Arguments &&...arguments)
    {
        all.push_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
    }
};

#endif
