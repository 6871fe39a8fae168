/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

#include "cli/cosim.h"

const void *cosim_load(const char *library_name, const char *symbol, struct mp_error *err)
{
    char self[PATH_MAX], path[PATH_MAX + 32];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0; /* then the folder is "." */
    snprintf(path, sizeof path, "%s/libmempath-%s.so", dirname(self), library_name);
    if (access(path, R_OK)) {
        mp_fail(err, "the RTL is not built (no %s); platform/mempath cosim builds it, with verilator", path);
        return NULL;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *found = library ? dlsym(library, symbol) : NULL;
    if (!found)
        mp_fail(err, "%s; build anew with platform/mempath cosim", dlerror());
    return found;
}
