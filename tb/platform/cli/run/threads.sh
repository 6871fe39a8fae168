#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs in several threads have the results of runs in one: natively and with every link through TLM, cut and whole.
#
#   threads.sh MEMPATH CACHE quick|designs|long
# designs: a case of golden.txt for each paper and a cut run of star/w2, with 1 to 16 threads. Built with
#   ThreadSanitizer, a run that has a race fails; this takes minutes.
# long: every case of golden.txt with 1 to 8 threads, and a short run a hundred times.
mode=$3 golden=$(dirname -- "$(readlink -f -- "$0")")/../golden.txt
. "$(dirname "$0")/../lib.sh"

digest() { # arguments of mempath
    expect 0 "$@" --json --quiet
    grep -o '"digest": "[0-9a-f]*"' "$work/out" | cut -d'"' -f4 | paste -sd, -
}

same() { # digest, arguments
    wanted=$1
    shift
    got=$(digest "$@")
    if [ -z "$wanted" ] || [ "$got" != "$wanted" ]; then
        wrong "mempath $*: digest ${got:-none}, not ${wanted:-none}"
    fi
}

if [ "$mode" = designs ]; then
    cases=0
    while read -r name _ wanted arguments; do
        case $name in star-w7 | dws | mesc | neidty | fgpu-gtx1080) ;; *) continue ;; esac
        cases=$((cases + 1))
        for n in 1 2 4 16; do
            # shellcheck disable=SC2086 # the arguments are words
            same "$wanted" $arguments --threads $n
        done
    done <"$golden"
    [ $cases = 5 ] || wrong "golden.txt has $cases of the 5 cases"
    w2='run star/w2 --set tenants.size=small --until 20000'
    # shellcheck disable=SC2086
    wanted=$(digest $w2)
    for n in 2 4 16; do
        # shellcheck disable=SC2086
        same "$wanted" $w2 --threads $n
    done
    # shellcheck disable=SC2086
    same "$wanted" $w2 --threads 4 --epochs 1000
    finished
    exit
fi

if [ "$mode" = long ]; then
    while read -r name _ wanted arguments; do
        case $name in '' | '#'*) continue ;; esac
        case $arguments in firmware*) continue ;; esac
        case $arguments in *size=medium*) continue ;; esac
        for n in 1 2 3 4 5 6 7 8; do
            # shellcheck disable=SC2086 # the arguments are words
            same "$wanted" $arguments --threads $n
        done
        # shellcheck disable=SC2086
        same "$wanted" $arguments --threads 2 --force-tlm
    done <"$golden"
    short='run star/w2 --set tenants.size=small --until 20000'
    # shellcheck disable=SC2086
    wanted=$(digest $short)
    for i in $(seq 100); do
        # shellcheck disable=SC2086
        same "$wanted" $short --threads $((2 + i % 7))
    done
    finished
    exit
fi

short='run star/w2 --set tenants.size=small --until 9000'
# shellcheck disable=SC2086
one=$(digest $short)
for n in 1 2 3 8; do
    # shellcheck disable=SC2086
    same "$one" $short --threads $n
done
# shellcheck disable=SC2086
same "$one" $short --threads 2 --force-tlm
json "json_extract(j, '\$.runs[0].threads')" 2
[ "$(sqlite3 "$MEMPATH_DB" 'SELECT group_concat(ifnull(threads, 0)) FROM run ORDER BY id')" = 0,1,2,3,8,2 ] ||
    wrong 'the rows do not have the numbers of threads'
# shellcheck disable=SC2086
same "$one" $short --threads 3 --epochs 1000

# A machine whose instances share an L2 TLB is one group.
dws='run dws-30sm --set tenants.0.app=GUPS --set tenants.0.sms=15 --set tenants.1.app=JPEG --set tenants.1.sms=15
     --set tenants.size=small --until 5000'
# shellcheck disable=SC2086
same "$(digest $dws)" $dws --threads 2

refused "--threads: '0' is too small; 1 to 64" run demo --threads 0
refused '--observe: the file is written by one thread; omit --threads' \
    run demo --threads 2 --observe l3_tlb -o x.csv
refused '--threads: Verilated RTL runs in one thread; omit --threads or --rtl' run star/w2 --threads 2 --rtl l3_tlb

finished
