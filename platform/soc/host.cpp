// SPDX-License-Identifier: Apache-2.0
#include "soc/host.h"

#include <algorithm>

namespace mp::soc
{

namespace
{

constexpr uint64_t longest_pause = UINT64_C(1000) * 1000000000000; // of a script, in picoseconds
constexpr uint64_t stack = 1 << 20;                                // bytes

Host &of(void *self)
{
    return *static_cast<Host *>(self);
}

} // namespace

Host::Host(Soc &soc, Console &console, Observer &observer, std::function<void(const char *why)> fail)
    : soc_(soc), console_(console), observer_(observer), fail_(std::move(fail))
{
}

Host::~Host()
{
    if (calls_.hart)
        mp_semihosting_close(&calls_);
}

void Host::print(void *self, uint8_t c)
{
    of(self).console_.send(c);
    of(self).observer_.received(); // a character of the console is progress
}

// The program waits, so pauses of the script are over at once.
int Host::key(void *self)
{
    Host &h = of(self);
    int c = h.console_.key(h.now());
    return c < 0 ? h.console_.key(h.now() + longest_pause) : c;
}

void Host::starved(void *self)
{
    of(self).fail_("the program waits for a character, and none will come");
}

uint64_t Host::picoseconds(void *self)
{
    return of(self).now();
}

void Host::finish(void *self, int code)
{
    of(self).soc_.finisher.finish(code);
}

int Host::open(const char *image, const char *files, mp_error *err)
{
    const uint64_t end = MP_RAM_BASE + MP_RAM_BYTES, begin = (soc_.program_end + 15) & ~UINT64_C(15);
    const uint64_t heap[] = {begin, end - stack, end, end - stack};
    calls_.hart = soc_.core.hart;
    calls_.command_line = image;
    calls_.self = this;
    calls_.print = print;
    calls_.key = key;
    calls_.starved = starved;
    calls_.picoseconds = picoseconds;
    calls_.finish = finish;
    std::copy_n(heap, 4, calls_.heap);
    soc_.core.semihost = [this] {
        observer_.called();
        mp_semihosting_call(&calls_);
    };
    return mp_semihosting_open(&calls_, files, err);
}

} // namespace mp::soc
