#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traces of real GPUs: omitted accesses are counted, and unknown instructions are refused.
. "$(dirname "$0")/../lib.sh"

# A kernel of one warp, whose instructions are the arguments.
recording() {
    printf 'kernel-1.traceg\n' >kernelslist.g
    {
        printf '%s\n' '-kernel name = k' '-grid dim = (1,1,1)' '-block dim = (32,1,1)' \
            '-accelsim tracer version = 4' '#BEGIN_TB' 'thread block = 0,0,0' 'warp = 0' "insts = $#"
        printf '%s\n' "$@" '#END_TB'
    } >kernel-1.traceg
}

load='0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4'
shared='0020 ffffffff 1 R6 LDS 1 R2 4 1 0x10 4'
bulk='0030 00000001 0 UBLKCP 0 16 0 0x7f0000000000'

recording "$load"
expect 0 import kernelslist.g -o app.gwt.zst
says '^app.gwt.zst: 1 kernel, 1 warp accesses; left out: nothing$'

recording "$load" "$shared" "$load" "$shared"
expect 0 import kernelslist.g -o app.gwt.zst
says '^app.gwt.zst: 1 kernel, 2 warp accesses; left out: 2 LDS with 64 lanes (shared memory)$'
expect 0 trace info app.gwt.zst
expect 0 import kernelslist.g -o app.gwt.zst --json
json "json_extract(j, '\$.accesses')" 2
json "json_extract(j, '\$.left_out[0].opcode')" LDS
json "json_extract(j, '\$.left_out[0].lanes')" 64

# It does not say what accesses need, so that a scoreboard has nothing to go by.
refused 'app.gwt.zst: 1 of 1 launches do not say what their accesses need; .*recorded by mempath record' \
    run mesc-16cu --set tenants.0.trace=app.gwt.zst --set sm.scoreboard=needs

rm app.gwt.zst
recording "$load" "$bulk"
refused "kernel-1.traceg:10: unknown memory instruction 'UBLKCP' of 16 bytes; .*--skip-unknown" import kernelslist.g -o app.gwt.zst
[ ! -e app.gwt.zst ] || wrong 'a refused import left a file'
expect 0 import kernelslist.g -o app.gwt.zst --skip-unknown
says 'left out: 1 UBLKCP with 1 lanes (unknown)$'

sed -i 's/version = 4/version = 6/' kernel-1.traceg
refused 'unknown accelsim tracer version; allowed are 1 to 5' import kernelslist.g -o app.gwt.zst --skip-unknown
finished
