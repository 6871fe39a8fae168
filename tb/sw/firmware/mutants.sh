#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The scenes of managed memory with faults of the hardware find bugs of the firmware: for each kind of fault, 20 mutants
# of a program do not pass the scene that the program survives. Mutants (mutate.c) are drawn by a seed until as many are
# found. They differ from the program in an instruction of a file that does something for the fault: a branch is
# inverted, a store or a call is left out. A mutant is found if its run does not end or does not print what the
# program's does, but for the instructions that services took, or if --check or the watchdog says so. Counters and traces
# are left as they are. Those that pass are listed.
# $2 is the folder of the images, $3 the program mutate. MUTANTS, SEED: other numbers.
images=$(realpath "$2")
mutate=$(realpath "$3")
sources=$(realpath "$(dirname "$0")/../../../sw/firmware")
. "$(dirname "$0")/../../platform/cli/lib.sh"

# run IMAGE WORKLOAD OPTION...: in limited time.
run() {
    image=$1
    workload=$2
    shift 2
    code=0
    "$mempath" firmware run "$image" --check --set machine.page_bytes=4096 --set uvm.host_accesses=false \
        --workload "0=$workload:small" --max-instructions 60000000 "$@" >out 2>err </dev/null || code=$?
    sed -i '/ instructions of services$/d' out
}

# Lines of the firmware that a run has executed, as FILE:LINE.
executed() {
    awk -F '[:,]' '/^SF:/ { n = split($2, part, "/"); file = $2 ~ /sw\/firmware\// ? part[n] : "" }
        /^DA:/ && file && $3 > 0 { print file ":" $2 }' "$1" | sort -u
}

wanted=${MUTANTS:-20}
(cd "$sources" && grep -n 'counts\.\|_trace_\|_note(' -- *.c) | cut -d: -f1,2 >counters
found=0
all=0
while IFS='|' read -r name workload fault pattern; do
    image=$images/managed_$name.elf
    printf 'faults:\n  - {fault: %s}\n' "$fault" >plan.yaml
    run "$image" "$workload" --coverage without.info
    run "$image" "$workload" --inject plan.yaml --coverage with.info
    cp out right
    executed without.info >without
    executed with.info >with
    # Files in which the fault has something executed.
    comm -13 without with | cut -d: -f1 | sort -u | grep -v '^recovery.c$\|^clint.c$\|^print.c$\|_trace.c$' >files
    [ -s files ] || printf 'uvm.c\nrings.c\n' >files # the hardware makes up for it
    awk -F: 'FNR == NR { wanted[$1] = 1; next } $1 in wanted' files with | grep -v -x -F -f counters >lines
    riscv64-unknown-elf-objdump -d -l "$image" |
        awk 'FNR == NR { wanted[$1] = 1; next }
            /^\// { n = split($1, part, "/"); line = part[n] }
            /^ *[0-9a-f]+:\t/ && line in wanted { sub(/:$/, "", $1); print $1, line }' lines - >places
    rm -f m.*.elf
    "$mutate" "$image" "${SEED:-1}" $((5 * wanted)) m <places >mutants
    n=0
    killed=0
    while [ "$killed" -lt "$wanted" ] && read -r k what; do
        run "m.$k.elf" "$workload" --inject plan.yaml
        cat out err >both
        n=$((n + 1))
        if [ "$code" = 0 ] && grep -q -- "$pattern" both && cmp -s out right; then
            echo "    not found: $what"
        else
            killed=$((killed + 1))
        fi
    done <mutants
    echo "$fault: $killed of $n mutants are found ($(tr '\n' ' ' <files))"
    [ "$killed" = "$wanted" ] || wrong "$fault: $killed mutants are found, not $wanted"
    found=$((found + killed))
    all=$((all + n))
    checks=$((checks + 1))
done <<'END'
tenants|MT|valid-bit-lost, event: 4|never became valid, and was left out (1)$
tenants|MT|valid-bit-late, event: 4, by: 10us|, in cycle [0-9]*: recovered$
small_ring|MT|fault-buffer-full, event: 3, for: 1ms|: recovered$
tight|NW|copy-fails, event: 5|, in cycle [0-9]*: recovered$
tenants|MT|copy-late, event: 2, by: 20ms|: recovered$
tenants|MT|invalidation-late, event: 1, by: 50ms|an invalidation was late (1)$
tenants|MT|replay-lost, event: 2|^space 0: the launch was stopped$
END
echo "$found of $all mutants are found"
# Most others are no bugs here: limits that are not reached, members that are 0 already, waits that are not needed.
[ $((2 * all)) -le $((5 * found)) ] || wrong 'fewer than 40 % are found'
finished
