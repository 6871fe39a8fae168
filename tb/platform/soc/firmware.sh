#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs images that check themselves on the whole platform, twice each. All counts of the two runs must be equal.
images=$(realpath "$2")
tests=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/../cli/lib.sh"

# Prints everything that does not depend on the host's speed.
counts() {
    cat "$work/out"
    sed 's/, [0-9.]* million instructions a second//; s/^mempath: run [0-9]*:/mempath:/' "$work/err"
}

for image in hello traps walk_regs devices rtos modes; do
    expect 0 firmware run "$images/$image.elf" --max-instructions 50000000
    counts >"$work/first"
    expect 0 firmware run "$images/$image.elf" --max-instructions 50000000
    counts >"$work/second"
    cmp "$work/first" "$work/second" || wrong "$image: two runs differ"
done

# Two runs with a GPU: only the first may record the workload's trace.
managed() {
    expect 0 firmware run "$images/$1.elf" --workload 0=MT:small --max-instructions 20000000
    counts | grep -v 'mempath: recording'
}
for image in demand misuse; do
    managed $image >"$work/first"
    managed $image >"$work/second"
    cmp "$work/first" "$work/second" || wrong "$image: two runs differ"
done

# The database has one row per run, with all its counts and its output.
expect 0 query 'SELECT count(*) FROM firmware f JOIN run r ON r.id = f.run WHERE r.status = "done"' --json
says '16'
expect 0 query "SELECT count(DISTINCT digest) AS digests, count(DISTINCT console) AS consoles, max(exceptions) AS traps
    FROM firmware f JOIN run r ON r.id = f.run WHERE f.image LIKE '%misuse.elf'"
says '1  *1  *17'
expect 0 query "SELECT sum(v.value) > 0 AS walked FROM value v JOIN metric m ON m.id = v.metric
    JOIN firmware f ON f.run = v.run WHERE m.name = 'walks' AND f.image LIKE '%demand.elf' AND v.tenant = 3"
says '1'
expect 0 query firmware
says '0=MT'

# While the GPU rests, a read of its registers costs about as much as one of another device. Processor time of the
# host is compared, so the limit is wide.
spent() {
    before=$(awk '{print $16}' /proc/$$/stat)
    expect 0 firmware run "$images/$1.elf"
    echo $(($(awk '{print $16}' /proc/$$/stat) - before)) >"$work/ticks"
}
spent reads_plic
plic=$(cat "$work/ticks")
spent reads
[ "$(cat "$work/ticks")" -le $((3 * plic)) ] || wrong "three million reads: $(cat "$work/ticks") ticks for the GPU, $plic for the PLIC"

expect 0 firmware run "$images/hello.elf" --uart "$work/log"
[ ! -s "$work/out" ] || wrong 'the console is in a file, yet something is on stdout'
[ "$(cat "$work/log")" = hello ] || wrong 'the console is not in its file'

# On a terminal, the image sends back the characters that are typed.
"$mempath" firmware run "$images/echo.elf" --uart pty 2>"$work/err" &
server=$!
for _ in $(seq 100); do
    grep -q 'the console is' "$work/err" && break
    sleep 0.1
done
terminal=$(sed -n 's/.*the console is //p' "$work/err")
[ -c "$terminal" ] || wrong 'no terminal'
exec 3<>"$terminal"
printf 'HAL' >&3
[ "$(timeout 20 head -c 3 <&3)" = IBM ] || wrong 'the terminal does not echo'
printf 'q' >&3
[ "$(timeout 20 head -c 1 <&3)" = r ] || wrong 'the last character is lost'
exec 3>&-
wait "$server" || wrong 'the echo ended badly'

expect 1 firmware run "$images/hello.elf" --max-instructions 77
says_error() { grep -q -- "$1" "$work/err" || wrong "the error does not say '$1'"; }
says_error 'not done after 77 instructions'

# The result as JSON is the only output on stdout.
expect 1 firmware run "$images/hello.elf" --max-instructions 77 --json
json "j ->> 'end' || ' ' || (j ->> 'instructions') || ' ' || (j -> 'spaces')" 'limit 77 []'
json "j ->> 'error' LIKE '%not done after 77%'" 1
expect 0 firmware run "$images/traps.elf" --json --uart "$work/log"
json "(SELECT sum(value ->> 'count') FROM json_each(j -> 'exceptions'))" "$(sqlite3 "$MEMPATH_DB" 'SELECT exceptions FROM firmware ORDER BY run DESC LIMIT 1')"
json "(SELECT value ->> 'count' FROM json_each(j -> 'exceptions') WHERE value ->> 'cause' = 11) > 0" 1
sqlite3 :memory: "SELECT json_extract(CAST(readfile('$work/out') AS TEXT), '\$.console')" | cmp -n "$(wc -c <"$work/log")" - "$work/log" ||
    wrong 'the document has another console than the file'

# An executable that ends after its headers, and a file that is not an executable.
head -c 200 "$images/hello.elf" >"$work/cut.elf"
refused 'cut off' firmware run "$work/cut.elf"
echo nothing >"$work/text"
refused 'not an ELF file' firmware run "$work/text"
refused 'for another processor' firmware run --elf "$mempath"
riscv64-unknown-elf-objcopy --change-section-lma .text=0x40000000 "$images/hello.elf" "$work/far.elf" 2>"$work/err"
refused 'is in no memory; RAM is 0x4000000 B at 0x80000000' firmware run "$work/far.elf"
refused 'stats.warmup = 9: .*; 0 is needed' firmware run "$images/hello.elf" --set stats.warmup=9
refused 'two images' firmware run "$images/hello.elf" --elf "$images/echo.elf"
refused 'No such file' firmware run "$work/none.elf"
refused 'Is a directory' firmware run "$work"
refused 'not a workload' firmware run "$images/hello.elf" --workload 8=MT:small
refused 'given twice' firmware run "$images/hello.elf" --workload 1=MT:small --workload 1=ST:small
refused 'no size' firmware run "$images/hello.elf" --workload 0=MT
refused 'No such file' firmware run "$images/hello.elf" --workload 0=./none.gwt
refused 'has no instances' firmware run "$images/hello.elf" --gpu dws-30sm
refused "no action 'runn'; did you mean 'run'" firmware runn
refused 'no action; run' firmware
refused 'contains the console; use a file or pty' firmware run "$images/hello.elf" --json --uart -
refused 'writable file' firmware run "$images/hello.elf" --uart "$work/no/where"
refused '1 to ' firmware run "$images/hello.elf" --max-instructions 0
refused 'no register has' firmware regs nothinglikeit
expect 0 firmware regs
says 'MTIMECMP'
expect 0 firmware regs uart --json
says '"DLAB"'
# The meanings of numbers: by the name of an enumeration, and for every register that has one.
expect 0 firmware regs dws++
says 'WALK_POLICY'
says ' 3  *MP_MGMT_SCHEDULER_DWSPP  *dws++ '
expect 0 firmware regs mig_status
says ' 5  *MP_MGMT_NO_ROOM '
expect 0 firmware regs mig_slices
if grep -q MP_MGMT "$work/out"; then wrong 'values of registers that were not asked for'; fi
expect 0 firmware regs done_status --json
json "(SELECT f.value ->> 'name' FROM json_each(j, '\$[0].values') f WHERE f.value ->> 'value' = 8)" FAULTED
expect 0 firmware regs as_config --json
json "(SELECT count(*) FROM json_each(j) r, json_each(r.value, '\$.fields') f, json_each(f.value, '\$.values') WHERE r.value ->> 'name' = 'AS_CONFIG')" 3

# The description in the documentation and in the database.
expect 0 firmware regs --markdown
diff "$tests/../../../models/soc/REGISTERS.md" "$work/out" ||
    wrong 'models/soc/REGISTERS.md: not as mempath firmware regs --markdown writes it'
expect 0 firmware regs --json
registers=$(grep -c '"block"' "$work/out")
fields=$(grep -c '"low"' "$work/out")
for _ in 1 2; do # what was there is replaced
    expect 0 firmware regs --record
done
rows=$(sqlite3 "$MEMPATH_DB" 'SELECT (SELECT count(*) FROM register), (SELECT count(*) FROM register_field)')
[ "$rows" = "$registers|$fields" ] || wrong "registers and fields: $rows in the database for $registers|$fields"
line=$(sqlite3 "$MEMPATH_DB" "SELECT low, bits FROM register_field WHERE block = 'UART' AND register = 'LCR' AND name = 'DLAB'")
[ "$line" = '7|1' ] || wrong "LCR.DLAB is $line"
expect 0 query registers block=UART
says '^UART  *SCR  *0x10000007 '
refused 'cannot be' firmware regs --record --db "$work/no/where.db"
