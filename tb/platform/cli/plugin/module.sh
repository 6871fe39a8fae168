#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# SystemC modules that are compiled outside the tree: the template of `plugin new module`, a module that replaces blocks,
# and modules that fail.
. "$(dirname "$0")/lib.sh"

demo='run demo --set tenants.0.size=small --set tenants.1.size=small --set tenants.2.size=small --set tenants.1.app=FFT --quiet'
ask() { sqlite3 "$MEMPATH_DB" "$1"; }
asked() { # answer, SQL
    got=$(ask "$2")
    [ "$got" = "$1" ] || wrong "'$got', not '$1': $2"
}
digest() { # of the latest run
    ask 'SELECT digest FROM run ORDER BY id DESC LIMIT 1'
}

# The template without and with a delay.
expect 0 plugin new module slow
says 'slow has slow.cpp, CMakeLists.txt and test.sh'
cmake -S slow -B b >out 2>err || wrong 'cmake'
cmake --build b >out 2>err || wrong 'cmake --build'
ln -s b/slow.so slow.so
modules slow/slow.cpp idle.so -DDELAY=0
MEMPATH=$mempath sh slow/test.sh slow.so >out 2>err || wrong 'the test of the template fails'
says '^passed: slow: gpu.l3_tlb: [1-9][0-9]* requests$'
# shellcheck disable=SC2086 # words
{
    expect 0 $demo
    usual=$(digest)
    expect 0 $demo --plugin idle.so
    [ "$(digest)" = "$usual" ] || wrong 'another result with a tap that only counts'
    grep -q '^slow: gpu.l3_tlb: [1-9][0-9]* requests$' err || wrong 'the tap has counted nothing'
    expect 0 $demo --plugin slow.so
    [ "$(digest)" != "$usual" ] || wrong 'the delay changes nothing'
    asked 'plugin=slow' 'SELECT plugins FROM runs WHERE run = 3'
    delayed=$(digest)
    expect 0 $demo --plugin slow.so --threads 2
    [ "$(digest)" = "$delayed" ] || wrong 'another result with threads'
}

# Runs of a sweep have the module, too; a model alone has no machine.
printf 'description: a module\nexperiments: [demo]\nparameters:\n  tenants.size: [small]\n  l3_tlb.latency: [50, 60]\n' >s.yaml
expect 0 sweep s.yaml --plugin slow.so --quiet
says '^2 runs: 2 done, 0 were in'
[ "$(digest)" != "$usual" ] || wrong 'a run of the sweep has the digest of one without the module'
asked 'slow|2' "SELECT name, count(*) FROM run_plugin WHERE run IN (SELECT id FROM run ORDER BY id DESC LIMIT 2)"
expect 0 sweep s.yaml --plugin slow.so --quiet
says '^2 runs: 0 done, 2 were in'
printf '0 0 1\n' >walk.txt
refused 'replay walks: plugin slow has only modules, for the machine of a run; one with designs' \
    replay walks --policy fcfs --plugin slow.so walk.txt
expect 0 replay walks --help --plugin slow.so

# Another plugin, which was built for another program.
sed 's/{MP_PLUGIN_INTERFACE,/{"0",/' slow/slow.cpp >old.cpp
modules old.cpp old.so
refused '--plugin old.so: it was built for another mempath' run demo --plugin old.so

# A module in a block's place; runs that fail, each with a line.
modules "$here/modules.cpp" modules.so -I"$here/../../gpu/tlm"
failed() { # MODULE, error of the run
    export MODULE="$1"
    # shellcheck disable=SC2086 # words
    refused "demo: $2" $demo --plugin modules.so
    asked "failed|$2" "SELECT status, substr(error, 1, ${#2}) FROM run ORDER BY id DESC LIMIT 1"
}
export MODULE=replace
# shellcheck disable=SC2086 # words
expect 0 $demo --plugin modules.so
[ "$(digest)" != "$usual" ] || wrong 'the module in place of the L2 TLBs changes nothing'
grep -q '^plug: [1-9][0-9]* requests, at least 1[0-9] cycles$' err || wrong 'the module had no requests'
failed nowhere 'gpu.l4_tlb: no block has such a path; gpu.mig'
failed build 'a module of a plugin: the module cannot be built'
failed run 'demo: a module of a plugin: the module gives up'

# Under firmware: the same modules on its machine.
if [ -e "$(dirname "$mempath")/mempath-firmware.elf" ]; then
    expect 0 firmware run --plugin slow.so --quiet
    grep -q '^slow: gpu.l3_tlb: [1-9][0-9]* requests$' err || wrong 'no requests under firmware'
    MODULE=nowhere
    refused 'gpu.l4_tlb: no block has such a path' firmware run --plugin modules.so
    MODULE=run
    expect 1 firmware run --plugin modules.so --quiet
    grep -q 'a module of a plugin: the module gives up' err || wrong 'firmware does not fail by the module'
fi
finished
