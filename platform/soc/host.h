// SPDX-License-Identifier: Apache-2.0
// Connects semihosting (soc/semihosting.h) to the run: its console, its time and its end.
#ifndef MP_SOC_HOST_H
#define MP_SOC_HOST_H

#include <functional>

#include "soc/console.h"
#include "soc/observer.h"
#include "soc/semihosting.h"
#include "soc/soc.h"

namespace mp::soc
{

class Host
{
  public:
    // fail: ends the run, with the reason.
    Host(Soc &soc, Console &console, Observer &observer, std::function<void(const char *why)> fail);
    ~Host();
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;

    // Answers the program's calls from now on. image: what it has as its command line. files: as in
    // mp_semihosting_open.
    int open(const char *image, const char *files, mp_error *err);

  private:
    uint64_t now() const { return (sc_core::sc_time_stamp() + soc_.core.ahead()).value(); }
    static void print(void *self, uint8_t c);
    static int key(void *self);
    static void starved(void *self);
    static uint64_t picoseconds(void *self);
    static void finish(void *self, int code);

    Soc &soc_;
    Console &console_;
    Observer &observer_;
    std::function<void(const char *why)> fail_;
    mp_semihosting calls_{};
};

} // namespace mp::soc

#endif
