#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Designs that are compiled outside the tree: each template of `plugin new`; rows of the database, runs that are found
# again, crashes, checkpoints.
. "$(dirname "$0")/lib.sh"

demo='run demo --set tenants.size=small --set tenants.1.app=SRAD --quiet'
few='--set walk.walkers_per_slice=1' # so that walks have to wait
ask() { sqlite3 "$MEMPATH_DB" "$1"; }
asked() { # answer, SQL
    got=$(ask "$2")
    [ "$got" = "$1" ] || wrong "'$got', not '$1': $2"
}

# Each template compiles, passes its own test, and by default gives the digest of the design that it begins with. The
# counters of a neighbour policy are recorded under its name, which is part of the digest: there, all but the name is equal.
# shellcheck disable=SC2086 # words
expect 0 $demo $few
usual=$(ask 'SELECT digest FROM run WHERE id = 1')
# shellcheck disable=SC2086
expect 0 $demo $few --set neighbours.policy=direct
direct=$(ask 'SELECT digest FROM run WHERE id = 2')
# shellcheck disable=SC2086
probe=$("$mempath" --db probe.db $demo $few --set walk.method=probe | sed -n 's/.* digest //p')
kinds=0
for kind in $("$mempath" plugin --help | tr '\n' ' ' | sed 's/.*KIND is \(.*\); or module:.*/\1/; s/ or /,/' | tr -d ' ' | tr ',' ' '); do
    kinds=$((kinds + 1))
    case $kind in
    neighbour_policy) digest= ;;
    neighbour_update) digest=$direct ;;
    page_table_design) digest=$probe ;;
    uvm_*) digest= ;; # its test compares it with the built-in design
    *) digest=$usual ;;
    esac
    own=my_$kind
    expect 0 plugin new "$kind" "$own"
    says "$own has $own.c, CMakeLists.txt and test.sh"
    says "export PKG_CONFIG_PATH=.*/pkgconfig$"
    shared "$own/$own.c" "$own.so"
    MEMPATH=$mempath sh "$own/test.sh" "$own.so" >out 2>err || wrong "the test of the template $kind fails"
    [ -z "$digest" ] || [ "$(cat out)" = "passed: digest $digest" ] ||
        wrong "$kind: another digest than the built-in design's, $digest"
done
# shellcheck disable=SC2086
expect 0 $demo $few --set neighbours.policy=my_neighbour_policy --plugin my_neighbour_policy.so
asked 3 'SELECT max(id) FROM run'
values() { echo "SELECT replace(component_kind, 'my_neighbour_policy', 'direct'), level, tenant, metric, value FROM counters WHERE run = $1"; }
asked '0|0' "SELECT (SELECT count(*) FROM ($(values 2) EXCEPT $(values 3))), (SELECT count(*) FROM ($(values 3) EXCEPT $(values 2)))"
asked '1|1' "SELECT count(DISTINCT run), sum(value) > 0 FROM counters WHERE component_kind = 'my_neighbour_policy' AND metric = 'probes'"
digest=$usual
[ $kinds = 14 ] || wrong "$kinds kinds have a template, not 14"
cmake -S my_tlb_policy -B b >out 2>err || wrong 'cmake'
cmake --build b >out 2>err || wrong 'cmake --build'
ctest --test-dir b -N >out 2>err
says 'Total Tests: 1'
expect 0 params my_tlb_policy --plugin b/my_tlb_policy.so
says 'my_tlb_policy.every'
refused "no parameter has 'my_tlb_policy'" params my_tlb_policy

# Parameters in YAML; the picture of the machine; replay.
printf 'preset: demo\nl3_tlb:\n  policy: my_tlb_policy\nmy_tlb_policy:\n  every: 0\n' >mine.yaml
refused 'mine.yaml:5: my_tlb_policy.every = .0. is too small; 1 to 1000' run mine.yaml --plugin my_tlb_policy.so
refused 'mine.yaml:4: unknown section my_tlb_policy' run mine.yaml
expect 0 machine --plugin my_tlb_policy.so --set l3_tlb.policy=my_tlb_policy
says 'my_tlb_policy'
printf 'I 1 16 7\nL 1 16\n' >stimuli
expect 0 replay tlb --policy my_tlb_policy --plugin my_tlb_policy.so stimuli
cp out mine
expect 0 replay tlb --policy subentry stimuli
cmp -s mine out || wrong 'replay answers otherwise than with the built-in policy'
expect 0 replay tlb --help --plugin my_tlb_policy.so
says 'my_tlb_policy '

# The database: which plugins a run had. Their hashes are part of the run's.
# shellcheck disable=SC2086
expect 0 $demo $few --plugin my_walk_scheduler.so --plugin my_tlb_policy.so --set l3_tlb.policy=my_tlb_policy
asked 'plugin=my_tlb_policy plugin=my_walk_scheduler' 'SELECT plugins FROM runs WHERE run = 4'
asked "$digest" 'SELECT digest FROM run WHERE id = 4'
expect 0 query plugins --json
json "length(json_extract(j, '\$[0].hash'))" 32
json "json_extract(j, '\$[0].path')" "$work/my_tlb_policy.so"
expect 0 query runs
says 'l3_tlb.policy=my_tlb_policy .* plugin=my_tlb_policy plugin=my_walk_scheduler'

# A sweep finds its runs again, but not those of a plugin that has changed.
cat >s.yaml <<'YAML'
description: a policy of the user's
experiments: [star-a100-mig]
workloads:
  one: [{app: FIR, size: small, slices: 3}]
parameters:
  my_tlb_policy.every: [1, 2]
YAML
sweep() { expect 0 sweep s.yaml --plugin my_tlb_policy.so --quiet; }
sweep
says '^2 runs: 2 done, 0 were in'
sweep
says '^2 runs: 0 done, 2 were in'
sed -i 's/stores some translations only/another title/' my_tlb_policy/my_tlb_policy.c
shared my_tlb_policy/my_tlb_policy.c my_tlb_policy.so
sweep
says '^2 runs: 2 done, 0 were in'
refused 'my_tlb_policy.every' sweep s.yaml --quiet

# A crash is a failed run; the other runs of the sweep go on.
sed 's/!known && .*)$/own->every == 2 \&\& *(volatile int *)(own->every - 2 + known))/' my_tlb_policy/my_tlb_policy.c >bad.c
shared bad.c my_tlb_policy.so
sed -i 's/^parameters:/parameters:\n  l3_tlb.policy: [my_tlb_policy]/' s.yaml
rm "$MEMPATH_DB"
expect 1 sweep s.yaml --plugin my_tlb_policy.so --quiet
grep -q 'the simulation died: .*; plugin my_tlb_policy$' err || wrong 'the crash is not reported'
[ "$(grep -c died err)" = 1 ] || wrong 'not one line'
asked 'done|
failed|the simulation died' "SELECT status, substr(ifnull(error, ''), 1, 19) FROM run r JOIN parameter p ON p.run = r.id
    WHERE path = 'my_tlb_policy.every' ORDER BY value"

# A checkpoint goes on with the same plugins only.
shared my_tlb_policy/my_tlb_policy.c my_tlb_policy.so
# shellcheck disable=SC2086
"$mempath" $demo --plugin my_tlb_policy.so --set l3_tlb.policy=my_tlb_policy --checkpoint-at 10000 -o point >out 2>err ||
    grep -q 'need a build without sanitizers' err || wrong 'no checkpoint'
if [ -e point ]; then
    # shellcheck disable=SC2086
    expect 0 $demo --plugin my_tlb_policy.so --set l3_tlb.policy=my_tlb_policy --from point
    asked 1 "SELECT count(DISTINCT digest) FROM run WHERE experiment = 'demo'"
    # shellcheck disable=SC2086
    refused '--from point: it was taken with the plugin my_tlb_policy; the same' $demo --from point
    cp my_tlb_policy.so saved.so
    printf 'x' >>my_tlb_policy.so
    # shellcheck disable=SC2086
    refused '--from point: the plugin my_tlb_policy was another file there; the same file' \
        $demo --plugin my_tlb_policy.so --set l3_tlb.policy=my_tlb_policy --from point
    # shellcheck disable=SC2086
    refused '--from point: it was taken without the plugin my_walk_scheduler; the same' \
        $demo --plugin saved.so --plugin my_walk_scheduler.so --set l3_tlb.policy=my_tlb_policy --from point
fi
finished
