/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that no request can make a design execute, by mode. Find the reason before you add one. */
#include <stddef.h>

#include "rtl/star/lockstep/star_lockstep.h"

#define SET    "mp_star_tlb_set.sv"
#define ENTRY  "mp_star_entry.sv"
#define REFORM "mp_star_reform.sv"

#define STRIDES "star/stride star-stride/stride"
#define TWO     "star star-sequential star-stride " STRIDES
#define NO_FOUR "subentry " TWO

static const char four[] = "only an entry of four bases (MODE 2) does this";
static const char shared[] = "only an entry that bases share (MODE 1, 2) does this";
static const char stride_only[] = "only the sequential layout does this";
static const char stride[] = "for another stride than the run's (--stride)";

const struct rtl_unreached star_unreached[] = {
    {ENTRY, "RevertFour: begin", NO_FOUR, four},
    {ENTRY, "ShareFour: begin", NO_FOUR, four},
    {ENTRY, "2'd2: tag_at", NO_FOUR, four},
    {SET, "RevertFour: action_d", NO_FOUR, four},
    {SET, "ShareFour: action_d", NO_FOUR, four},
    {ENTRY, "Revert: begin", "subentry", shared},
    {ENTRY, "Share: begin", "subentry", shared},
    {ENTRY, "if (layout != mp_star_pkg::LayoutNone && (remains & (remains - 4'd1)) == '0) begin", "subentry",
     shared},
    {ENTRY, "tag_at(input logic", "subentry", shared},
    {ENTRY, "case (base)", "subentry", shared},
    {ENTRY, "tag_at = of[", "subentry", shared},
    {ENTRY, "Revert: new_base_valid_o", "subentry", shared},
    {ENTRY, "if (new_layout_o != layout) begin", "subentry", shared},
    {SET, "else base_d = base_q + 2'd1;", "subentry", shared},
    {SET, "Revert: action_d", "subentry", shared},
    {SET, "Share: action_d", "subentry", shared},
    {REFORM, "default: partner", "star-stride star-stride/stride", stride_only},
    {REFORM, "default: other", "star-stride star-stride/stride", stride_only},
    {REFORM, "2'd0: partner", STRIDES, stride},
    {REFORM, "2'd0: other", STRIDES, stride},
    {REFORM, "2'd1: partner", TWO, stride},
    {REFORM, "2'd2: partner", TWO, stride},
    {REFORM, "2'd1: other", TWO, stride},
    {REFORM, "2'd2: other", TWO, stride},
    {NULL, NULL, NULL, NULL},
};
