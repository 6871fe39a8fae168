// SPDX-License-Identifier: Apache-2.0
// How a Verilated design ends: $finish, $stop, $fatal, an assertion, or a loop that does not settle.
// Verilator would exit or abort; here the first such event is kept, as a sentence with its place.
#ifndef MP_TB_VERILATED_END_HPP
#define MP_TB_VERILATED_END_HPP

struct VerilatedEnd {
    char text[256] = ""; // "": nothing has happened
};

// Thrown by what cannot go on: the design must not be evaluated again.
struct VerilatedStopped {
};

// Where the next event is kept: that of the design at work.
extern thread_local VerilatedEnd *verilated_end;

#endif
