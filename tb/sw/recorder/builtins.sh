#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every built-in function of a version of OpenCL C is in the recorder's libraries, for every type: clang's header declares
# them, and a call of each must find a definition. Arguments: clang, llvm-nm, the libraries (with spaces between), the
# number of functions at least, the compile flags.
set -eu
clang=$1 nm=$2 libraries=$3 least=$4
shift 4
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

: >"$work/empty.cl"
header=$("$clang" -print-resource-dir)/include/opencl-c.h
"$clang" "$@" -E -P -include "$header" "$work/empty.cl" | awk -f "$here/builtins.awk" >"$work/calls.cl"
"$clang" "$@" -Xclang -fdeclare-opencl-builtins -w -O0 -Xclang -disable-llvm-passes -emit-llvm -c "$work/calls.cl" \
    -o "$work/calls.bc"
"$nm" --undefined-only "$work/calls.bc" | sed -n 's/^.* \(_Z.*\)/\1/p' | sort -u >"$work/wanted"
# shellcheck disable=SC2086 # a list of files
"$nm" --defined-only $libraries | sed 's/.* //' >"$work/there"
# The recorder's runtime has these.
printf '%s\n' _Z7barrierj _Z18work_group_barrierj _Z18work_group_barrierj12memory_scope >>"$work/there"
sort -u -o "$work/there" "$work/there"
comm -23 "$work/wanted" "$work/there" >"$work/missing"
[ "$(wc -l <"$work/wanted")" -gt "$least" ] || {
    echo "the header has only $(wc -l <"$work/wanted") functions" >&2
    exit 1
}
[ ! -s "$work/missing" ] || {
    echo "$(wc -l <"$work/missing") functions are missing:" >&2
    head -n 20 "$work/missing" >&2
    exit 1
}
echo "$(wc -l <"$work/wanted") functions are there"
