#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad input: one line, exit code 2, nothing half-written.
. "$(dirname "$0")/lib.sh"

# One tenant with the test's trace.
experiment() { printf 'preset: star-a100-mig\ntenants:\n  - {trace: %s, slices: 1}\n' "$1" >"${1%%.*}.yaml"; }

# Under --json an error is an object, in a line on stderr.
refused_in_json() { # code, pattern, command
    wanted=$1 pattern=$2
    shift 2
    expect "$wanted" "$@"
    [ ! -s "$work/out" ] || wrong "mempath $*: wrote to stdout"
    got=$(sqlite3 :memory: "SELECT value ->> 'code' FROM (SELECT CAST(readfile('$work/err') AS TEXT) value)" 2>&1)
    [ "$got" = "$wanted" ] || wrong "mempath $*: code '$got' in JSON, not '$wanted'"
    grep -q "^{\"error\": \".*$pattern" "$work/err" || wrong "mempath $*: the object does not say '$pattern'"
}
refused_in_json 2 'nosuch: unknown command' nosuch --json
refused_in_json 2 "\\\\\"quoted: no such preset" --json run '"quoted'
refused_in_json 2 'unknown option' run --nosuch --json
refused_in_json 2 'no parameter has' params --json nosuch.x
expect 2 run -- --json
grep -q '^mempath: ' "$work/err" || wrong 'a name after -- is taken as --json'

# Configuration.
refused 'l3_tlb.entries' run star/w10 --set l3_tlb.entrys=2048
refused 'l3_tlb.entries' run star/w10 --set l3_tlb.entries=many
refused 'l3_tlb.ways' run star/w10 --set l3_tlb.ways=0
refused 'no_such' run no_such
refused 'has no tenants' run star-a100-mig
refused 'missing.yaml' run ./missing.yaml
printf 'preset: star-a100-mig\nl3_tlb:\n  entrys: 5\n' >bad.yaml
refused 'bad.yaml.*entrys' run ./bad.yaml
refused 'XYZ' run demo --set tenants.0.app=XYZ

# Traces.
experiment absent.gwt
refused 'absent.gwt' run ./absent.yaml
refused 'absent.gwt' trace info absent.gwt
expect 0 record FIR --size small --quiet -o fir.gwt.zst
[ -s fir.gwt.zst ] || wrong 'record wrote no file'
expect 0 trace info fir.gwt.zst
says 'accesses'
expect 0 trace info fir.gwt.zst --json
json "json_extract(j, '\$.accesses') > 0" 1
size=$(wc -c <fir.gwt.zst)
for kept in $((size / 3)) $((size - 1)); do
    head -c "$kept" fir.gwt.zst >cut.gwt.zst
    experiment cut.gwt.zst
    refused 'cut.gwt.zst' trace info cut.gwt.zst
    refused 'cut.gwt.zst' run ./cut.yaml
done
: >empty.gwt
experiment empty.gwt
refused 'empty.gwt' trace info empty.gwt
refused 'empty.gwt' run ./empty.yaml
refused 'info' trace
refused 'info' trace show fir.gwt.zst
refused 'FILE' trace info

refused 'NOSUCH' record NOSUCH -o x.gwt.zst
[ ! -e x.gwt.zst ] || wrong 'a refused recording left a file'
refused 'kernelslist' import ./kernelslist.g -o x.gwt.zst
refused '-o' import ./kernelslist.g
[ ! -e x.gwt.zst ] || wrong 'a refused import left a file'

# The database.
experiment fir.gwt.zst
refused 'none.db' query runs --db none.db
[ ! -e none.db ] || wrong 'asking made a database'
echo 'not a database, but long enough to be looked at' >text.db
refused 'text.db' query runs --db text.db
refused 'text.db' run ./fir.yaml --db text.db
refused 'no/such' run ./fir.yaml --db no/such/folder.db
sqlite3 newer.db 'PRAGMA user_version = 9999; CREATE TABLE x(y)'
refused 'newer.db' run ./fir.yaml --db newer.db
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod a-w locked
    refused 'locked' run ./fir.yaml --db locked/results.db
fi
refused '/dev/full' run ./fir.yaml --db /dev/full
finished
