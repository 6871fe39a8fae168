#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recordings of other tools: omitted accesses are counted, and unknown instructions are refused.
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
new='0040 00000001 0 LDNEW 0 16 0 0x7f0000000000'

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
recording "$load" "$bulk" "$new"
refused "kernel-1.traceg:11: unknown memory instruction 'LDNEW' of 16 bytes; .*--skip-unknown" import kernelslist.g -o app.gwt.zst
[ ! -e app.gwt.zst ] || wrong 'a refused import left a file'
expect 0 import kernelslist.g -o app.gwt.zst --skip-unknown
says 'left out: 1 UBLKCP with 1 lanes (pieces not recorded), 1 LDNEW with 1 lanes (unknown)$'

sed -i 's/version = 4/version = 7/' kernel-1.traceg
refused 'unknown accelsim tracer version; allowed are 1 to 6' import kernelslist.g -o app.gwt.zst --skip-unknown

# One kernel without a list, packed, and as the tracer writes it.
recording "$load" "$shared" "$load"
expect 0 import kernel-1.traceg -o plain.gwt
gzip -k kernel-1.traceg
{ sed '/^#BEGIN_TB/,$d' kernel-1.traceg; sed -n 's/^00/0 0 0 0 00/p' kernel-1.traceg; } >kernel-1.trace
zstd -q kernel-1.trace -o kernel-1.trace.zst 2>/dev/null || cp kernel-1.trace kernel-1.trace.zst
for form in kernel-1.traceg.gz kernel-1.trace kernel-1.trace.zst; do
    expect 0 import $form -o form.gwt
    cmp -s plain.gwt form.gwt || wrong "$form became another trace"
done
expect 0 import kernelslist.g -o app.gwt.zst --progress=json
grep -q '"job": "import", "done": [0-9]*, "total": [0-9]*, "unit": "bytes"' err || wrong "no progress: $(cat err)"

# Rows of accesses, there and back.
expect 0 trace dump plain.gwt --csv
cp out rows.csv
expect 0 import rows.csv -o rows.gwt
expect 0 trace dump rows.gwt --csv
cmp -s out rows.csv || wrong 'rows do not come back'
sed '2s|$|,7|' rows.csv >rows-bad.csv
refused 'rows-bad.csv:2: more fields than the first line has; ' import rows-bad.csv -o rows.gwt
refused 'two forms; one of them' trace dump plain.gwt --csv --json
printf 'group,warp,bytes,addresses\n0,0,8,0x10000+8\n0,1,8,0x20000\n' >few.csv
expect 0 import few.csv -o few.gwt.zst
says '^few.gwt.zst: 1 kernel, 2 warp accesses'
expect 0 run mesc-16cu --set tenants.0.trace=few.gwt.zst --quiet

# MGPUSim: a warp of each vector cache.
printf 'start, 0.000000001, GPU[1].SA[0].L1VCache[0], 12, *mem.ReadReq, 0x100000040, 64\n' >mem.trace
expect 0 import mem.trace -o mem.gwt
says '^mem.gwt: 1 kernel, 1 warp accesses'
refused "no transaction at '\*L2\*'; there are some at" import mem.trace --at '*L2*' -o mem.gwt
refused 'lanes: 48; 32 or 64' import mem.trace --lanes 48 -o mem.gwt
finished
