// SPDX-License-Identifier: Apache-2.0
// How a Verilated design ends: $finish, $stop, $fatal, an assertion, or a loop that does not settle.
// Verilator would exit or abort; instead, the first such event is stored as a sentence with its place.
#ifndef MP_RTL_VERILATED_END_HPP
#define MP_RTL_VERILATED_END_HPP

struct VerilatedEnd {
    char text[256] = ""; // empty if nothing has happened
};

// Thrown if the design must not be evaluated again.
struct VerilatedStopped {
};

// Where the next event is stored: in the design that runs.
extern thread_local VerilatedEnd *verilated_end;

#endif
