#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: checkpoint.sh MEMPATH CACHE GOLDEN [SEED]
# A run that goes on from a checkpoint has the digest of the uninterrupted run, whatever the design: each quick run of
# golden.txt at a random cycle, natively and through TLM. What does not fit is refused by name.
golden=$(realpath "$3")
seed=${4:-$(date +%s)}
. "$(dirname "$0")/lib.sh"
echo "seed $seed"

random() { # of what is below the argument; sets `drawn`
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}

while read -r name set digest arguments; do
    case $name:$set:$digest:$arguments in '#'* | firmware:* | *,* | :*) continue ;; *:quick:*) ;; *) continue ;; esac
    for tlm in '' --force-tlm; do
        random 100000
        cycle=$((drawn + 1))
        code=1
        while [ $code != 0 ]; do # below the end of the run, which a refusal names
            code=0
            # shellcheck disable=SC2086 # words
            "$mempath" $arguments $tlm --checkpoint-at $cycle -o point --quiet --json >out 2>err || code=$?
            [ $code = 0 ] && break
            end=$(sed -n 's/.*the run ended at cycle \([0-9]*\);.*/\1/p' err)
            [ -n "$end" ] || wrong "$name $tlm at cycle $cycle"
            random "$end"
            cycle=$((drawn + 1))
        done
        json "json_extract(j, '\$.runs[0].digest')" "$digest"
        # shellcheck disable=SC2086
        expect 0 $arguments $tlm --from point --quiet --json
        json "json_extract(j, '\$.runs[0].digest')" "$digest"
    done
done <"$golden"

run='run mesc-16cu --set tenants.0.app=ATAX --set tenants.0.size=small --quiet'
# shellcheck disable=SC2086
{
    expect 0 $run --checkpoint-at 5000 -o point
    [ ! -e point.part ] || wrong 'a part of the file was left'
    expect 0 $run --from point --until 20000 --json
    json "json_extract(j, '\$.runs[0].status')" cut
    expect 0 $run --until 20000 --json
    digest=$(sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' out)
    expect 0 $run --from point --until 20000 --json --db other.db
    json "json_extract(j, '\$.runs[0].digest')" "$digest"
    expect 0 query "SELECT status FROM run" --db other.db
    says interrupted
    refused 'mesc-16cu: .*the run ended at cycle [0-9]*; an earlier one' $run --checkpoint-at 1000000000 -o late
    [ ! -e late ] || wrong 'a checkpoint that was never reached has a file'
    refused 'l3_tlb.entries is 512 there and 1024 here; the same configuration' $run --set l3_tlb.entries=1024 --from point
    refused 'tenants.0.app is ATAX there and MT here' run mesc-16cu --set tenants.0.app=MT --set tenants.0.size=small --from point
    refused 'without --force-tlm; the same links' $run --from point --force-tlm
    refused -- '--until 5000: point is of cycle 5000; a later one' $run --from point --until 5000
    refused 'omit --threads' $run --from point --threads 2
    # Another limit counts from the checkpoint on; with the one of the checkpoint, nothing is stuck.
    expect 1 $run --from point --watchdog 50
    stuck=$(sed -n 's/^mempath: .*: stuck at cycle \([0-9]*\): .* for 50 cycles.*/\1/p' err)
    [ "${stuck:-0}" -gt 5050 ] && [ $((stuck % 50)) = 0 ] || wrong "stuck at cycle '$stuck'"
    grep -q '^again, to this cycle: .*--from point --watchdog 50 .*--until' err || wrong 'no command that runs it again'
    expect 0 $run --checkpoint-at 5000 -o limited --watchdog 100000
    expect 1 $run --from limited --watchdog 50
    grep -q "stuck at cycle $stuck: " err || wrong "not stuck at cycle $stuck"
    expect 0 $run --from limited --watchdog off
    expect 0 $run --from limited --watchdog 600s
    refused 'stats.epoch = 7000; a run with checkpoints takes no snapshots, so 0' $run --from point --set stats.epoch=7000
    mkfifo fifo
    refused 'fifo: it would be replaced; a regular file, or a new one' $run --checkpoint-at 5000 -o fifo
    sed 's/^cycle 5000/cycle 4999/' point >other
    refused 'the head is damaged, or of another image' $run --from other
    refused 'no file to write to; add -o FILE' $run --checkpoint-at 5000
    refused 'No such file' $run --from nothing
    refused 'this is no checkpoint' $run --from "$golden"
    sed 's/^revision [0-9a-f]*/revision 0123456789ab/' point >other
    refused 'it is of revision 0123456789ab.*; the same revision' $run --from other
    sed 's/^program ./program x/' point >other
    refused 'its head is damaged' $run --from other
    head -c 200000 point >other
    refused 'ends early' $run --from other
    cp point other
    printf 'damaged' | dd of=other bs=1 seek=150000 conv=notrunc 2>dd.err
    refused 'damaged' $run --from other
    refused 'a writable file is needed' $run --checkpoint-at 5000 -o missing/point
}
finished
