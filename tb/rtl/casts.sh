#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No cast of the RTL contains arithmetic of signals (casts.awk), and the check finds such casts. $1 is rtl/.
set -u
rtl=$1
casts() { awk -f "$(dirname "$0")/casts.awk" "$@"; }

casts "$rtl"/*/*.sv* "$rtl"/*/checks/*.sv* "$rtl"/*/formal/*.sv* || {
    echo "FAILED: Verilator 5.006 calculates it in the cast's width, IEEE 1800 in that of the operands; use a signal" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A line of each is found if it is marked.
cat >"$work/t.sv" <<'END'
  assign x = 5'(4'(a) + 4'(b));  // found
  assign x = 5'(a + b);  // found
  assign x = W'(-a);  // found
  assign x = W'(4'(a) << 1);  // found
  assign x = W'(c ? d : ~a);  // found
  assign x = W'({a * b});  // found
  assign x = W'(f(a, 3'(b - c)));  // found
  assign x = 5'(a) + 5'(b) - W'(SETS - 1);
  assign x = W'(a[i*WIDTH+:WIDTH]);
  assign x = W'(a >= b);  // 5'(a + b)
  assign x = (a + b) == W'(c) /* W'(a + b) */;
END
casts "$work/t.sv" | sed 's/.*t.sv:\([0-9]*\):.*/\1/' | uniq >"$work/found"
grep -n 'found$' "$work/t.sv" | cut -d: -f1 | cmp -s - "$work/found" || {
    echo "FAILED: other lines are found: $(tr '\n' ' ' <"$work/found")" >&2
    exit 1
}
