#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: checkpoint.sh MEMPATH CACHE GOLDEN quick|long [SEED]
# A run that goes on from a checkpoint has the digest of the uninterrupted run, whatever the design: of the quick runs of
# golden.txt a random sixteenth, or each, at a random cycle, natively and through TLM. What does not fit is refused by name.
golden=$(realpath "$3")
case $4 in quick) one_of=16 policies='subentry star static' ;; *) one_of=1 policies='subentry star star4 static half-double-set' ;; esac
seed=${5:-$(date +%s)}
. "$(dirname "$0")/../lib.sh"
echo "seed $seed"

random() { # of what is below the argument; sets `drawn`
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}

while read -r name set digest arguments; do
    case $name:$set:$digest:$arguments in '#'* | firmware:* | *,* | :*) continue ;; *:quick:*) ;; *) continue ;; esac
    random $one_of
    [ "$drawn" = 0 ] || continue
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
    # A run that ends after its checkpoint is a warm-up, and the parent of those that go on from it.
    expect 0 $run --checkpoint-at 5000 --until 5000 -o warm --db roles.db
    expect 0 $run --from warm --db roles.db
    expect 0 $run --from warm --until 20000 --db roles.db
    expect 0 $run --from point --db roles.db
    expect 0 query "SELECT group_concat(role || ' ' || ifnull(parent, '-'), ', ') AS roles FROM run" --db roles.db --csv
    says '^"warm-up -, requested 1, cut 1, requested -"$'
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
    if [ "${stuck:-0}" -le 5050 ] || [ $((stuck % 50)) != 0 ]; then wrong "stuck at cycle '$stuck'"; fi
    grep -q '^again, to this cycle: .*--from point --watchdog 50 .*--until' err || wrong 'no command that runs it again'
    expect 0 $run --checkpoint-at 5000 -o limited --watchdog 100000
    expect 1 $run --from limited --watchdog 50
    grep -q "stuck at cycle $stuck: " err || wrong "not stuck at cycle $stuck"
    expect 0 $run --from limited --watchdog off
    expect 0 $run --from limited --watchdog 600s
    refused 'stats.epoch = 7000; a run with checkpoints takes no snapshots, so 0' $run --from point --set stats.epoch=7000
    mkfifo fifo
    refused 'fifo: it would be replaced; a regular file, or a new one' $run --checkpoint-at 5000 -o fifo
    sed 's/^point 5000/point 4999/' point >other
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

# A warm-up that several policies share: from a checkpoint before its end, each has the digest of its whole run.
run='run star/w2 --set tenants.size=small --set machine.page_bytes=4096 --set l3_tlb.entries=16 --set stats.warmup=3000 --quiet'
digest_of() { sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' out; }
# shellcheck disable=SC2086
{
    random 2999
    expect 0 $run --checkpoint-at $((drawn + 1)) -o early
    expect 0 $run --checkpoint-at 3000 -o warm
    expect 0 $run --force-tlm --checkpoint-at 3000 -o tlm
    digests=
    for policy in $policies; do
        expect 0 $run --set l3_tlb.policy=$policy --json
        digest=$(digest_of)
        for from in early warm tlm; do
            tlm=
            [ $from != tlm ] || tlm=--force-tlm
            expect 0 $run --set l3_tlb.policy=$policy $tlm --from $from --json
            [ "$(digest_of)" = "$digest" ] || wrong "$policy from $from: $(digest_of), not $digest"
        done
        digests="$digests$digest "
    done
    [ "$(printf '%s\n' $digests | sort -u | wc -l)" = "$(echo $policies | wc -w)" ] || wrong "policies with the same digest: $digests"
    expect 0 query "SELECT count(DISTINCT config_hash) FROM run WHERE status = 'done' AND changes LIKE '%stats.warmup%'"
    says "^ *$(echo $policies | wc -w)\$"
    expect 0 $run --checkpoint-at 3001 -o late
    refused 'l3_tlb.policy is subentry there and star here' $run --set l3_tlb.policy=star --from late
    refused 'l3_tlb.entries is 16 there and 32 here' $run --set l3_tlb.entries=32 --from warm
    refused 'the policy changes in cycle 3000; l3_tlb.warmup_policy = l3_tlb.policy' $run --set l3_tlb.policy=star --rtl l3_tlb
    refused 'stats.runs = warm: the first run is its warm-up' $run --set stats.runs=warm
    refused 'no other policy can take over from mesc' run mesc-16cu --set tenants.0.app=ATAX --set tenants.0.size=small \
        --set l3_tlb.policy=mesc --set stats.warmup=3000
    refused 'stats.warmup = 200000: tenant 0 ended before it; fewer cycles' $run --set stats.warmup=200000
    refused 'stats.warmup = 20000000: the run ended at cycle [0-9]*; fewer cycles' $run --set stats.warmup=20000000

    # What counts is the rest: of tenant 0, what the whole run has and what it has at the end of the warm-up. Walks and
    # accesses in flight then count when they end, gauges as they are.
    run='run star/w2 --set tenants.size=small --set machine.page_bytes=4096 --set l3_tlb.entries=16 --quiet --db parts.db'
    expect 0 $run
    expect 0 $run --until 3000
    expect 0 $run --set stats.warmup=3000
    expect 0 query "SELECT count(*) > 60 AND count(*) = sum(a.value = b.value + c.value) AND sum(c.value > 0 AND b.value > 0) > 20 AS good
        FROM counters a JOIN counters b USING (component_kind, metric, tenant) JOIN counters c USING (component_kind, metric, tenant)
        JOIN metric m ON m.component_kind = a.component_kind AND m.name = a.metric
        WHERE a.run = 1 AND b.run = 2 AND c.run = 3 AND tenant = 0 AND m.kind = 'counter'" --db parts.db --csv
    says '^1$'

    # The largest latency is one of the rest, although the warm-up had larger ones.
    expect 0 query "SELECT count(DISTINCT run) = 3 AND min(fits) AND max(maximum) FILTER (WHERE run = 3) < min(maximum) FILTER (WHERE run = 2 AND tenant = 0)
        AS good FROM (SELECT run, tenant, maximum, maximum BETWEEN max(low) AND max(high) AS fits FROM distributions
            WHERE metric = 'walk_latency' GROUP BY run, tenant)" --db parts.db --csv
    says '^1$'
}
finished
