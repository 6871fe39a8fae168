#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compares the coverage of lines with the trace of all instructions and the line table as binutils prints it.
images=$(realpath "$2")
. "$(dirname "$0")/../cli/lib.sh"

# FILE LINE COUNT of the trace "$1" and the table of the image "$2"; files without their folders.
expected() {
    riscv64-unknown-elf-objdump --dwarf=decodedline "$2" >"$work/table"
    awk 'FNR == NR { if ($5 == "insn") count[$3]++; next }
        NF >= 4 && $NF == "x" && $3 ~ /^0x8/ {
            line = $1 " " $2
            if (!(line in most) || count[$3] > most[line])
                most[line] = count[$3] + 0
        }
        END { for (line in most) print line, most[line] }' "$1" "$work/table" | LC_ALL=C sort
}

# The same of a file for lcov.
covered() {
    awk -F '[:,/]' '/^SF:/ { file = $NF }
        /^DA:/ {
            line = file " " $2
            if (!(line in most) || $3 > most[line])
                most[line] = $3
        }
        END { for (line in most) print line, most[line] }' "$1" | LC_ALL=C sort
}

for name in hello traps devices; do
    expect 0 firmware run "$images/$name.elf" --trace-insn 1:100000000 -o "$work/trace" --coverage "$work/$name.info"
    grep -q 'coverage: [1-9][0-9]* of [0-9]* lines ' "$work/err" || wrong "no sum of $name"
    expected "$work/trace" "$images/$name.elf" >"$work/expected"
    covered "$work/$name.info" >"$work/covered"
    grep -q "^$name.c [0-9]* 1\$" "$work/covered" || wrong "$name.c was not executed"
    cmp "$work/expected" "$work/covered" ||
        wrong "$name: $(diff "$work/expected" "$work/covered" | head -n 10)"
    expect 0 firmware run "$images/$name.elf" --coverage "$work/again.info"
    cmp "$work/$name.info" "$work/again.info" || wrong "$name: a trace changes the coverage"
done
grep -q '^FNDA:1,main$' "$work/hello.info" || wrong 'main was not called once'
grep -q '^FNDA:6,put$' "$work/hello.info" || wrong 'not six characters of hello'

# A run that fails has coverage; a run that does not begin leaves no file.
expect 1 firmware run "$images/waits.elf" --json --coverage "$work/waits.info"
json "j ->> 'coverage.lines_executed' > 0 AND j ->> 'coverage.lines_executed' < j ->> 'coverage.lines'" 1
grep -q '^FNDA:1,main$' "$work/waits.info" || wrong 'no coverage of a run that failed'
cp "$images/hello.elf" "$work/stripped.elf"
riscv64-unknown-elf-strip --strip-debug "$work/stripped.elf"
refused 'compile it with -g' firmware run "$work/stripped.elf" --coverage "$work/none.info"
refused 'writable file' firmware run "$images/hello.elf" --coverage "$work/no/where.info"
for file in "$work"/*.part "$work/none.info"; do
    [ ! -e "$file" ] || wrong "$file is left"
done
finished
