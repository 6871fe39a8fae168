#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of users' kernels in `mempath record --help` work as printed, in a folder with their files ($3). Kernel
# names that a C++ compiler mangled are readable in `trace info`.
kernels=$(realpath "$3")
. "$(dirname "$0")/../lib.sh"

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

# Each event of a trace in a line: what it is, where, and the addresses.
cat >two.cl <<'CL'
__kernel void first(__global int *a) { a[get_global_id(0)] = 1; }
__kernel void second(__global int *a, __constant int *c)
{
    const uint i = get_global_id(0), first = get_local_id(0);
    if (i & 1)
        a[(i * 37 + i * i) & 63] = c[3];
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (first == 5)
        atomic_add(a, 1);
}
CL
expect 0 record --cl two.cl --kernel first --global 128 --local 64 --arg buf:a:int:128 \
    --kernel second --global 64 --local 32 --arg buf:a --arg buf:int:4 -o two.gwt --quiet
expect 0 trace dump two.gwt
says '^buffer 0 is allocated: 0x10000000, 512 bytes$'
says '^launch 1: kernel first, 2x1x1 work-groups of 64x1x1 work-items, 0 bytes of local memory$'
says '^ *1 *1 *0 *[1-9][0-9]*  store *global *1 *4 *32  ffffffff 10000180 +4$'
says '^ *1 *0 *1 *[0-9]*  store *global *6 *4 *16  aaaaaaaa [0-9a-f]* [0-9a-f]* '
says '^ *0 *0 *2 *[0-9]*  barrier$'
says '^ *0 *0 *3 *[0-9]*  atomic *global *9 *4 *1  00000020 10000000$'
[ "$(grep -c ' exit$' "$work/out")" = 6 ] || wrong 'not one exit of each warp'
expect 0 trace dump two.gwt --launch 2 --group 1 --warp 0 --events 0:2
says '^instruction 0xa0 waits for 0x50$' # it stores what that one has loaded
[ "$(wc -l <"$work/out")" = 6 ] || wrong 'not a launch, two that wait, the heads of columns, and two events'
says 'load *constant *6 *4 *16  aaaaaaaa 1001000c +0$'
expect 0 trace dump two.gwt --kernel second --json
json 'json_array_length(j)' 11
json "json_extract(j, '\$[0].kernel')" second
json "json_extract(j, '\$[0].needs[1].needs[0]')" $((0x50))
json "json_extract(j, '\$[1].what') || json_extract(j, '\$[1].mask')" loadaaaaaaaa
json "json_array_length(j, '\$[2].addresses')" 16
json "json_extract(j, '\$[2].addresses[0]')" $((0x10000000 + 4 * 38))
refused 'it has 2' trace dump two.gwt --launch 3
refused 'it has 2' trace dump two.gwt --kernel third
refused '0:100' trace dump two.gwt --events 5
refused 'trace dump' trace info two.gwt --warp 1
refused '0 to' trace dump two.gwt --group x
# A reader that stops early is no error.
begin=$("$mempath" trace dump saxpy.gwt.zst 2>"$work/err" | head -n 1)
[ ! -s "$work/err" ] || wrong "trace dump to head: $(cat "$work/err")"
[ "$begin" = 'buffer 0 is allocated: 0x10000000, 262144 bytes' ] || wrong "not the first buffer: $begin"
finished
