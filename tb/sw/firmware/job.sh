#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The included image: its job has the counters of `mempath run` for the same applications on the same machine, and its
# console answers on a terminal.
. "$(dirname "$0")/../../platform/cli/lib.sh"

# Prints counter $3 of tenant $2 in the job's run number $1 (1 baseline, 2 STAR).
counter() {
    awk -v run="$1" -v tenant="tenant $2: " -v name="  $3  " '
        /^---/ { runs++ }
        /^tenant/ { mine = index($0, tenant) == 1 }
        runs == run && mine && index($0, name) == 1 { sub(/.*[a-z]  */, ""); print $1; exit }' "$work/console"
}

says_tenant() { # tenant, counter, value
    got=$(counter 1 "$1" "$2")
    if [ -z "$3" ] || [ "$got" != "$3" ]; then wrong "tenant $1: $2 is '$got', not '$3'"; fi
}

expect 0 firmware run
cp "$work/out" "$work/console"
grep -q ' 0 exceptions, ' "$work/err" || wrong 'the firmware met exceptions'
says '^tenant 0: 3g, 15360 MB at 0x0, 32 pages mapped$'
says '^tenant 1: 2g, 10240 MB at 0x3c0000000, 32 pages mapped$'
says '^tenant 2: 2g, 10240 MB at 0x640000000, 0 pages mapped, others on demand$'
[ "$(tail -n 1 "$work/out")" = 'done' ] || wrong 'the job did not end'

# The same as a document: the console's text is identical.
expect 0 firmware run --json
of_document() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.$1')"; }
of_document console | cmp -n "$(wc -c <"$work/console")" - "$work/console" || wrong 'two runs differ'
[ "$(of_document end) $(of_document exit_code) $(of_document workloads[1].app)" = 'finished 0 FFT' ] || wrong 'the document says something else'

# Its row: the console's text, no trap, and the sums of both runs as the firmware read them from registers.
ask() { sqlite3 "$MEMPATH_DB" "$1"; }
run=$(ask 'SELECT max(run) FROM firmware')
[ "$(ask "SELECT outcome, exit_code, exceptions, interrupts > 10 FROM firmware WHERE run = $run")" = 'finished|0|0|1' ] ||
    wrong 'the row does not say how it ended'
ask "SELECT console FROM firmware WHERE run = $run" | cmp -n "$(wc -c <"$work/console")" - "$work/console" ||
    wrong 'the row has another console'
for tenant in 0 1 2; do
    for metric in walks faults; do
        in_document=$(of_document "spaces[$tenant].$metric")
        [ $metric = walks ] && name='page walks' || name='walks that faulted'
        sum=$(($(counter 1 $tenant "$name") + $(counter 2 $tenant "$name")))
        row=$(ask "SELECT sum(v.value) FROM value v JOIN metric m ON m.id = v.metric
            WHERE v.run = $run AND m.component_kind = 'walk' AND m.name = '$metric' AND v.tenant = $tenant")
        [ "$row,$in_document" = "$sum,$sum" ] ||
            wrong "tenant $tenant: the row has $row $metric, the document $in_document, the console $sum"
    done
done

# The same on the same machine without firmware. The tenant on demand waits for its pages, the others do not.
expect 0 run star/w6 --set tenants.size=small --json --quiet
cp "$work/out" "$work/run"
value() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/run') AS TEXT), '\$.runs[0].tenants[$1].$2')"; }
for tenant in 0 1; do
    says_tenant $tenant cycles "$(value $tenant cycles)"
    says_tenant $tenant 'page walks' "$(value $tenant walks)"
    says_tenant $tenant 'walks that faulted' 0
done
for tenant in 0 1 2; do
    says_tenant $tenant instructions "$(value $tenant instructions)"
    says_tenant $tenant accesses "$(value $tenant accesses)"
done
[ "$(counter 1 2 cycles)" -gt "$(value 2 cycles)" ] || wrong 'faults cost nothing'
faults=$(counter 1 2 'walks that faulted')
[ "$faults" -gt 0 ] || wrong 'no walk has faulted'
grep -q '^  faults: 4 reported, 4 pages mapped, ' "$work/console" || wrong 'the four pages of tenant 2 did not come by faults'

# Without its image, and for another machine.
cp "$mempath" alone
built=$mempath
mempath=$work/alone
refused 'mempath-firmware.elf: No such file' firmware run
mempath=$built
expect 1 firmware run --set machine.slices=6
says '^no room$'

# A terminal, whose prompt may have been read with the line before.
"$mempath" firmware run --uart pty 2>"$work/err" &
server=$!
for _ in $(seq 200); do
    grep -q 'the console is' "$work/err" && break
    sleep 0.1
done
terminal=$(sed -n 's/.*the console is //p' "$work/err")
[ -c "$terminal" ] || wrong 'no terminal'
exec 3<>"$terminal"
type_line() { # line, what comes
    printf '%s\r' "$1" >&3
    timeout 60 sed "/$2/q" <&3 >"$work/terminal"
    grep -q "$2" "$work/terminal" || wrong "the console does not answer '$2' to '$1'"
}
printf 'x' >&3
type_line 'make 0 3' 'make 0 3'
type_line 'open 0 0' 'open 0 0'
type_line 'promise 0 0 0x1000000000000' 'promise 0 0'
type_line 'mig' '^   space 0: 0 pages of 64 KB'
type_line 'run 0 0 0' 'run 0 0 0'
type_line 'counters 0' "^  accesses  *$(value 0 accesses)$"
type_line 'faults' '^    0  *32  *32  *0  *0  *0 '
type_line 'peek 0x40000000' '^peek: bus error'
type_line 'walk 0 0' '^0x0 has no page'
type_line 'fly' '^fly: no such command'
type_line 'quit' '^done'
exec 3>&-
wait "$server" || wrong 'the console ended badly'
finished
