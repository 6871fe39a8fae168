#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every built-in function of OpenCL C 1.2 is in the recorder's library, for every type: clang's header declares them,
# and a call of each must find a definition. Arguments: clang, llvm-nm, the library, its compile flags.
set -eu
clang=$1 nm=$2 library=$3
shift 3
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
header=$("$clang" -print-resource-dir)/include/opencl-c.h

: >"$work/empty.cl"
"$clang" -target spir64-unknown-unknown -x cl -cl-std=CL1.2 -E -P -include "$header" "$work/empty.cl" |
    awk -f "$here/builtins.awk" >"$work/calls.cl"
"$clang" "$@" -Xclang -fdeclare-opencl-builtins -w -O0 -Xclang -disable-llvm-passes -emit-llvm -c "$work/calls.cl" \
    -o "$work/calls.bc"
"$nm" --undefined-only "$work/calls.bc" | sed -n 's/^.* \(_Z.*\)/\1/p' | sort -u >"$work/wanted"
"$nm" --defined-only "$library" | sed 's/.* //' | sort -u >"$work/there"
echo _Z7barrierj >>"$work/there" # the recorder's runtime has it
sort -o "$work/there" "$work/there"
comm -23 "$work/wanted" "$work/there" >"$work/missing"
[ "$(wc -l <"$work/wanted")" -gt 9000 ] || {
    echo "the header has only $(wc -l <"$work/wanted") functions" >&2
    exit 1
}
[ ! -s "$work/missing" ] || {
    echo "$(wc -l <"$work/missing") functions are missing:" >&2
    head -n 20 "$work/missing" >&2
    exit 1
}
echo "$(wc -l <"$work/wanted") functions are there"
