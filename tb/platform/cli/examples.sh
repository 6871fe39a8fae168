#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs every example of every --help, README and REFERENCE, in order, as printed. Examples that take too long or cannot
# run are in examples.txt with the reason. The test fails if another example fails, or if no example needs a line of
# examples.txt any more. Each text has a separate folder with the files that examples name and a database of twelve
# runs.
#
#   examples.sh MEMPATH CACHE SOURCES BUILD quick|long|list [REGEX]
sources=$(realpath "$3") build=$(realpath "$4") mode=$5 only=${6:-.}
here=$sources/tb/platform/cli
. "$(dirname "$0")/lib.sh"
table=$work/table
unset MEMPATH_DB

extract() { awk -v kind="$1" -f "$here/examples.awk" "$2"; }

# ---- what there is ----

# All help texts: of each command, and of each block of `cosim` and `replay`.
helps() {
    "$mempath" help >"$work/help"
    printf 'help\n'
    sed -n '/^Usage:/,/^Start with:/s/^  \([a-z]*\)  .*/\1/p' "$work/help" | grep -vx 'test\|models\|package\|help'
    for command in cosim replay; do
        "$mempath" $command --json | sed -n "s/.*\"block\": \"\(.*\)\".*/$command \1/p"
    done
}

# SOURCE<tab>EXAMPLE
examples() {
    helps | while read -r command; do
        # shellcheck disable=SC2086 # a command and perhaps its block
        if [ "$command" = help ]; then "$mempath" help; else "$mempath" $command --help; fi >"$work/text"
        extract help "$work/text" | sed "s/^/help $command	/"
    done
    (cd "$sources" && find . \( -name 'build*' -o -name .git \) -prune -o \
        \( -name README.md -o -name REFERENCE.md \) -print) | sed 's/^\.\///' |
        sort | while read -r readme; do
        extract readme "$sources/$readme" | sed "s|^|$readme	|"
    done
}

# ---- the table: PATTERN | ACTION | REASON, separated by " || " for commands have pipes ----

grep -v '^#\|^$' "$here/examples.txt" >"$table"
awk -F ' \\|\\| ' 'NF != 3 || $3 == "" { print "line without a reason: " $0; bad = 1 } END { exit bad }' "$table" ||
    wrong 'examples.txt: a line is PATTERN || ACTION || REASON'

# Sets action and row (0: none) for a command without `platform/`.
look_up() {
    action='' row=0 at=0
    while IFS= read -r line; do
        at=$((at + 1))
        pattern=${line%% || *}
        # shellcheck disable=SC2254 # a pattern
        case $1 in
        $pattern)
            action=${line#* || } action=${action%% || *} row=$at
            return
            ;;
        esac
    done <"$table"
}

# ---- what the examples need ----

prepare() {
    cd seed || exit 1
    "$mempath" record FIR --size small --quiet -o mine.gwt.zst 2>/dev/null || wrong 'cannot record'
    cp mine.gwt.zst mt.gwt.zst
    cp mine.gwt.zst app.gwt.zst
    awk '/^```yaml/ { on = 1; next } /^```/ { on = 0 } on' "$sources/README.md" >mine.yaml
    printf 'L 0 0x10\nI 0 0x10 7\nL 0 0x10\nL 1 0x20\nI 1 0x20 8\nV 1 0x20\n' >stimuli.txt
    printf '0 0 1\n0 0 2\n5 1 3\n' >walks.txt
    printf 'P 0 9 rw 700\nS\nT 5\nT 600\nU 5\nT 6\n' >subregions.txt
    printf 'L 0 1 7 70\nL 1 1 7 70\nV 1 7\nD 2\n' >requests.txt
    printf 'M 0 0 0 100\nM 0 0 0 101\nM 0 0 0 102\n' >misses.txt
    printf 'M 0 0x40000000 0x200000 4096\nW 0 0x40000010\n' >mapped.txt
    printf 'left+ 1 7 own+ 0 1\nlookup 1 7\n' >pages.txt
    printf 'insert 1 7 9\nlookup 1 7 drop 1 8\n' >l1.txt
    printf 'B 0 15 50\nM 3\nQ 3\n' >tree.txt
    printf 'S 1 0x80000 0xf87 rw 0 3\nL 1 0x800ff\nI 1 0x80140 77 r\nV 1 0x80140\n' >runs.txt
    printf 'T 0x7001\nP 0 0x1000 rw 512\nS\nU 77\nS\n' >frame.txt
    cp walks.txt events.txt
    printf 'M 0x1000\nT 1\n' >addresses.txt
    printf 'R 0 0 0x200000\nF 1 0 0 0x1000 r\nB 1\nA 2 0 0x1000 w\n' >faults.txt
    printf 'p sp 3 2\na 1 2 4\na 2 3 1\n' >road.gr
    printf 'send "\\n"\nwait "> "\nsend quit\nwait done\n' >console.txt
    printf '%s\n' '- create: {instance: 0, slices: 3}' '- open: {instance: 0, space: 0}' >host.yaml
    printf '%s\n' 'experiments: [star-a100-mig]' 'workloads: {fir: [{trace: mine.gwt.zst, slices: 1}]}' \
        'parameters: {l3_tlb.latency: [30, 40, 50, 60], l3_tlb.policy: [subentry, star]}' >l3.yaml
    printf 'random: {faults: 2, kinds: [bus-error, interrupt-lost]}\n' >faults.yaml
    kernels=$sources/tb/sw/recorder/kernels
    cp -r "$kernels/saxpy.cl" "$kernels/tile.cl" "$kernels/include" .
    cp "$sources/tb/sw/recorder/cuda/vectors.cu" axpy.cu
    cp "$sources/tb/sw/recorder/cuda/expect.h" .
    cp "$sources/rtl/star/mp_star_tlb.sv" mine.sv
    sed -i 's/^module mp_star_tlb /module mine /' mine.sv
    for set in my_set mine_set; do
        sed "s/^module mp_star_tlb_set /module $set /" "$sources/rtl/star/mp_star_tlb_set.sv" >$set.sv
    done
    mkdir dws
    sed 's/^module mp_dws_scheduler /module mine /' "$sources/rtl/dws/mp_dws_scheduler.sv" >dws/mine.sv
    for module in neidty/mp_neidty_directory l1_tlb/mp_l1_tlb mesc_tlb/mp_mesc_tlb mesc_scan/mp_mesc_scan uvm_tree/mp_uvm_tree; do
        block=$(echo "${module%/*}" | tr _ -)
        mkdir "$block"
        sed "s/^module ${module#*/} /module mine /" "$sources/rtl/$module.sv" >"$block/mine.sv"
    done
    sed 's/buf_four/BUF_X4/; s/nand_two/NAND2_X1/' "$here/rtl/cells.lib" >mine.lib
    mkdir mine
    for image in hello.elf mm.elf mine/hello.elf; do
        [ ! -e "$build/tb/platform/soc/hello.elf" ] || cp "$build/tb/platform/soc/hello.elf" "$image"
    done
    printf 'kernel-1.traceg\n' >traces/kernelslist.g
    printf '%s\n' '-kernel name = k' '-grid dim = (1,1,1)' '-block dim = (32,1,1)' '-accelsim tracer version = 4' \
        '#BEGIN_TB' 'thread block = 0,0,0' 'warp = 0' 'insts = 2' \
        '0010 ffffffff 1 R4 LDG.E 1 R2 4 1 0x7f0000000000 4' '0020 ffffffff 0 EXIT 0 0' '#END_TB' \
        >traces/kernel-1.traceg
    cp "$sources/tb/fuzz/traceg/container" traces/kernel-7.tracez
    printf 'group,warp,bytes,addresses\n0,0,8,0x10000+8\n0,1,8,0x20000\n' >accesses.csv
    printf 'start, 0.000000001, GPU[1].L2Cache[0], 12, *mem.ReadReq, 0x100000040, 64\n' >mem.trace
    for _ in 1 2 3 4 5 6 7 8 9 10 11; do
        expect 0 run star-a100-mig --quiet --set tenants.0.trace=mine.gwt.zst --set tenants.0.slices=1
    done
    expect 0 run demo --quiet --set tenants.size=small --epochs 1000 --trace-window 0:100000
    cp mempath.db a.db
    cp mempath.db b.db
    for _ in 1 2 3; do
        expect 0 cosim star --transactions 1000 --quiet
    done
    cd ..
}

# ---- running them ----

# Runs an example in the current folder; 0 if it ended with 0.
perform() { PATH=$work/bin:$PATH timeout 600 sh -c "$1" >"$work/out" 2>"$work/err" </dev/null; }

run_all() {
    source='' failed=0 ran=0
    while IFS='	' read -r from command; do
        if [ "$from" != "$source" ]; then
            source=$from
            cd "$work" && rm -rf place && cp -r seed place && cd place || exit 1
        fi
        plain=$(printf '%s\n' "$command" | sed 's|platform/mempath|mempath|g')
        look_up "$plain"
        echo "$row" >>"$work/rows"
        again=$plain
        case $action in
        skip) continue ;;
        long*)
            [ "$mode" = long ] || continue
            action=${action#long} action=${action# }
            ;;
        esac
        case $action in
        '' | run) ;;
        'add '*) again="$plain ${action#add }" ;;
        'as '*) again=${action#as } ;;
        *) wrong "examples.txt: unknown action '$action'; run, skip, long, add ARGUMENTS or as COMMAND" ;;
        esac
        ran=$((ran + 1))
        began=$(date +%s%N)
        perform "$again" || {
            failed=$((failed + 1))
            printf 'FAILED: %s: %s\n' "$from" "$again"
            head -n 5 "$work/err"
        }
        printf '%6d ms  %s: %s\n' $((($(date +%s%N) - began) / 1000000)) "$from" "$again" >>"$work/timings"
    done
    [ "$failed" = 0 ]
}

# Checks that the test finds an example that fails, in a help text and in a README.
check_itself() {
    cp "$here/examples.sample" sample
    # shellcheck disable=SC2016 # as they are printed
    extract readme sample >got
    diff - got >&2 <<'WANTED' || wrong 'examples of a README are not found'
platform/mempath run demo
MEMPATH_PRESET=debug platform/mempath run --quiet
mempath record --cl a.cl --arg b -o c
mempath query "SELECT 1"
printf '1\n' | mempath replay tlb -
WANTED
    printf 'Usage: mempath run\n\nExamples:\n  mempath run                the demonstration\n%s\n%s\n\n  mempath x\n' \
        "  printf 'a b' | mempath b \\" '      --more' >sample
    extract help sample >got
    printf "mempath run\nprintf 'a b' | mempath b --more\n" | diff - got >&2 || wrong 'examples of a help text are not found'
    printf 'self	mempath query\nself	mempath run --no-such-option\n' >self
    (run_all <self >/dev/null) && wrong 'an example that fails is not noticed'
    rm -f timings rows
}

mkdir -p seed/traces bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$mempath" >bin/mempath
chmod +x bin/mempath
check_itself
examples | grep -- "$only" >all
[ "$(wc -l <all)" -ge 1 ] || wrong "no examples match '$only'"
if [ "$mode" = list ]; then
    cat all
    exit
fi
prepare
cd "$work" || exit 1
have_images=1
if [ ! -e "$build/tb/platform/soc/hello.elf" ]; then
    echo 'no RISC-V compiler: examples of firmware do not run'
    have_images='' && sed -i '/mempath firmware/d' all
fi
result=0
run_all <all || result=1
cd "$work" || exit 1
sort -rn timings | head -n 12
if [ "$only" = . ] && [ -n "$have_images" ]; then
    at=0
    while IFS= read -r line; do
        at=$((at + 1))
        grep -qx "$at" rows || { printf 'FAILED: examples.txt: no example needs: %s\n' "$line"; result=1; }
    done <"$table"
fi
[ "$result" = 0 ] || wrong 'examples fail; mend them, or give a reason in examples.txt'
found=$(wc -l <all)
echo "$found examples, $(wc -l <timings) run"
