#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of users' kernels in `mempath record --help` work as printed, in a folder with their files ($3). Kernel
# names that a C++ compiler mangled are readable in `trace info`.
kernels=$(realpath "$3")
. "$(dirname "$0")/lib.sh"

cp -r "$kernels/saxpy.cl" "$kernels/tile.cl" "$kernels/include" .
examples=$("$mempath" record --help | sed -n '/^Examples:/,$ { :join
/\\$/ { N; s/\\\n *//; b join
}
s/^ *mempath \(record --cl .*\)/\1/p
}')
[ "$(echo "$examples" | wc -l)" -ge 2 ] || wrong "record --help has too few examples: $examples"
echo "$examples" >examples
while read -r example; do
    # shellcheck disable=SC2086 # words, as a shell would read them
    expect 0 $example --quiet
    [ ! -s err ] || wrong "mempath $example: said something"
done <examples
expect 0 trace info saxpy.gwt.zst --json
json "json_extract(j, '\$.lane_accesses')" $((3 * 65536))
expect 0 trace info tile.gwt.zst --json
json "json_extract(j, '\$.lane_accesses')" $((2 * 512 * 512))

mangled=_ZN5suite4scanILi128EfEEvPfPKfi
echo "__kernel void $mangled(__global float *a) { a[get_global_id(0)] = 1; }" >names.cl
# As with every command, a value may follow "=".
expect 0 record FIR --size=small --seed=3 --quiet -o small.gwt.zst

expect 0 record --cl names.cl --kernel $mangled --global 64 --local 64 --arg buf:float:64 -o names.gwt --quiet
expect 0 trace info names.gwt
says '^suite::scan<128, float>  *1x1x1 '
expect 0 trace info names.gwt --json
json "json_extract(j, '\$.kernels[0].name')" $mangled
json "json_extract(j, '\$.kernels[0].demangled')" 'void suite::scan<128, float>(float*, float const*, int)'
finished
