// SPDX-License-Identifier: Apache-2.0
#include "rtl/lockstep/verilated_end.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <verilated.h>

#include "rtl/lockstep/verilated_say.h"

thread_local VerilatedEnd *verilated_end;

namespace
{

// The last line that the design printed as an error: the reason for a stop that follows.
thread_local char error[200];

// The last such line that was shown: a rule that is broken in each clock is shown once.
thread_local char shown[sizeof error];

__attribute__((format(printf, 1, 2))) void keep(const char *format, ...)
{
    if (!verilated_end || *verilated_end->text)
        return;
    va_list args;
    va_start(args, format);
    std::vsnprintf(verilated_end->text, sizeof verilated_end->text, format, args);
    va_end(args);
}

// Removes the folders, which depend on the machine.
const char *base(const char *file)
{
    const char *slash = file ? std::strrchr(file, '/') : nullptr;
    return slash ? slash + 1 : file ? file : "";
}

// Returns the text of the last error line: for $error and $fatal the design's text, without its place.
const char *said()
{
    const char *at = std::strstr(error, "Assertion failed in ");
    if (!at)
        return error;
    at = std::strstr(at, ": ");
    return !at || !std::strcmp(at + 2, "'assert' failed.") ? "an assertion of the RTL failed" : at + 2;
}

} // namespace

void rtl_say(const char *format, ...)
{
    char line[sizeof error];
    va_list args;
    va_start(args, format);
    std::vsnprintf(line, sizeof line, format, args);
    va_end(args);
    const char *at = std::strstr(line, "%Error: ");
    if (!at)
        at = std::strstr(line, "%Fatal: ");
    if (!at || std::strcmp(line, shown))
        std::fputs(line, stderr);
    if (at) {
        std::snprintf(shown, sizeof shown, "%s", line);
        std::snprintf(error, sizeof error, "%.*s", static_cast<int>(std::strcspn(at + 8, "\n")), at + 8);
    }
}

void vl_finish(const char *file, int line, const char *)
{
    keep("the RTL ended the simulation ($finish, %s:%d)", base(file), line);
    Verilated::threadContextp()->gotFinish(true);
}

// Verilator also calls it after $error and after a failed assertion, which have printed an error line.
void vl_stop(const char *file, int line, const char *)
{
    if (!*error)
        keep("the RTL stopped the simulation ($stop, %s:%d)", base(file), line);
    else
        keep("%s:%d: %s", base(file), line, said());
    *error = 0;
    Verilated::threadContextp()->gotError(true);
}

void vl_fatal(const char *file, int line, const char *, const char *message)
{
    keep("%s:%d: %s", base(file), line, message);
    throw VerilatedStopped{};
}
