#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Jobs by turns at the console: they do as much as one after the other, with pages that come by faults, under every
# kind of dispatch policy, and with RTL in the run; two runs are equal.
. "$(dirname "$0")/../../platform/cli/lib.sh"

script() { # a console command per argument
    printf 'send "\\n"\nwait "> "\n'
    for line; do
        printf 'send "%s\\n"\nwait "> " within 1000ms\n' "$line"
    done
    printf 'send "quit\\n"\n'
}

set -- 'make 0 2' 'open 0 0 64K' 'open 0 1 64K' 'promise 0 0 0x1000000000000' 'promise 1 0 0x1000000000000'
script "$@" 'slice 0 10 0 0 1 1' 'counters 0' 'counters 1' >"$work/slice.txt"
script "$@" 'run 0 0 0' 'run 0 1 1' 'counters 0' 'counters 1' >"$work/each.txt"
script "$@" 'slice 0 0 0 0 1 1' 'slice 0 10 0 0 1' 'slice 0 10 0 0 9 1' 'slice 9 10 0 0 1 1' >"$work/wrong.txt"

run() { # script, options
    name=$1
    shift
    expect 0 firmware run --script "$work/$name.txt" --workload 0=NW:small --workload 1=NW:small --check "$@"
    cp "$work/out" "$work/$name.out"
}

value() { # counter, which of the spaces, output: the counter's value
    grep "^  $1 " "$3" | sed -n "$2s/.* //p"
}

run slice
says '^    0        0 *[1-9][0-9]* *[1-9][0-9]* .* us$'
says '^    1        1 *[1-9][0-9]* *[1-9][0-9]* .* us$'
says '^one after the other [1-9][0-9]* us, by turns [1-9][0-9]* us (.*%); [1-9][0-9]* stops, [0-9]* us each$'
cp "$work/slice.out" "$work/first.out"
run slice
cmp "$work/slice.out" "$work/first.out" || wrong 'two runs differ'
run slice --rtl l3_tlb
cmp "$work/slice.out" "$work/first.out" || wrong 'RTL decides otherwise'
run each
for counter in accesses instructions; do
    for space in 1 2; do
        each=$(value $counter $space "$work/each.out")
        both=$(value $counter $space "$work/slice.out")
        [ "$((2 * each))" = "$both" ] || wrong "$counter: $both by turns and alone, $each alone"
    done
done
for dispatch in round_robin persistent emptiest; do
    run slice --set machine.dispatch=$dispatch
    says '[1-9][0-9]* stops'
    for space in 1 2; do
        [ "$(value accesses $space "$work/slice.out")" = "$(value accesses $space "$work/first.out")" ] ||
            wrong "$dispatch: other accesses"
    done
done
run wrong
[ "$(grep -c '^slice: an argument is out of range$' "$work/out")" = 3 ] || wrong 'not refused'
says '^usage: slice INSTANCE US SPACE WORKLOAD'

# What a run that ends badly says of launches that are saved or will stop: a user pokes RUN_DOORBELL and RUN_PREEMPT of
# a launch whose pages are there, and of one whose faults are not served.
script "$@" 'run 0 0 0' 'poke 0x10100404 0' >"$work/hangs.txt"
sed -i '/quit/d' "$work/hangs.txt"
cat >>"$work/hangs.txt" <<END
send "poke 0x1010040c 77\npoke 0x10100418 0\n"
wait "> " within 10ms
send "poke 0x10100404 1\npoke 0x1010040c 78\npoke 0x10100418 0\n"
wait "never" within 10ms
END
expect 1 firmware run --script "$work/hangs.txt" --workload 0=NW:small
grep -q '^GPU: launch with tag 77, .*, is saved in context 0$' "$work/err" || wrong 'the saved launch is missing'
grep -q '^GPU: launch with tag 78, .* will stop when its work-groups' "$work/err" || wrong 'the stop is missing'
finished
