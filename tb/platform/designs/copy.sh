#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In a copy of the tree: each design of new/ is one file and one word in one list. Builds the program and the library
# of models there, and checks that all that a design brings is found.
#   copy.sh TREE CACHE
set -eu
tree=$(realpath "$1")
cache=$(realpath -m "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/tree"
(cd "$tree" && tar -cf - CMakeLists.txt CMakePresets.json LICENSE README.md models platform db sw rtl tb) | tar -xf - -C "$work/tree"
cd "$work/tree"
here=tb/platform/designs/new

add() { # design's word, folder of its kind, folder of the list, kind
    cp "$here/${1##*/}.c" "models/$2/$1.c"
    list=models/$3/CMakeLists.txt
    cp "$list" "$work/before"
    sed -i "/mempath_designs($4 /{:a;/)/!{N;ba};s|)| $1)|}" "$list"
    changed=$(diff "$work/before" "$list" | grep -c '^>') || :
    [ "$changed" = 1 ] || { echo "FAILED: $1: $changed lines of $list are others, not 1" >&2; exit 1; }
}
add policy/lazy tlb tlb tlb_policy
add ahead tlb/prefetch tlb prefetcher
add lifo walk/scheduler walk walk_scheduler
add reread walk/method walk walk_method
add narrow sm/dispatch sm dispatch_policy
add rotated map map address_map
add sparse vm/frames vm frame_allocator

# The folder of this test adds the same designs to the lists once more.
rm -r tb/platform/designs
build() {
    cmake --preset release -B "$work/build" && ninja -C "$work/build" mempath mempath-models
}
if ! build >"$work/log" 2>&1; then
    tail -n 40 "$work/log" >&2
    exit 1
fi
sh "$tree/tb/platform/designs/check.sh" "$work/build/platform/cli/mempath" "$cache" \
    "$work/build/platform/cli/mempath-firmware.elf"
cc -std=gnu11 -I"$tree/tb" -I"$tree/tb/models/engine" -Imodels "$tree/tb/platform/designs/test_dpi.c" -o "$work/test_dpi" \
    -L"$work/build/models/dpi" -lmempath-models -lcmocka -Wl,-rpath,"$work/build/models/dpi"
"$work/test_dpi"
