# SPDX-License-Identifier: Apache-2.0
# Functions that the proofs of all blocks share, sourced by formal/prove.sh [WORKFOLDER [PROOF...]] of each: the block's
# folder, the work folder, which becomes the current one, counterexamples, and the faults of faults.txt. The script that
# sources it defines
#   design PROOF FOLDER   yosys commands that read the design of a proof from the sources in FOLDER and elaborate it
#   steps PROOF           number of clocks in which a fault must cause a failure
# shellcheck shell=sh disable=SC2034
block=$(cd "$(dirname "$0")/.." && pwd)
rtl=${block%/*}
work=${1:-$(mktemp -d)}
mkdir -p "$work" && cd "$work" || exit 1
work=$PWD
[ $# -eq 0 ] || shift
HOME=$work # yosys leaves a file there
export HOME
failed=0
tab=$(printf '\t')

wrong() { # what, why, log
    printf 'WRONG: %s: %s\n' "$1" "$2"
    [ $# -lt 3 ] || tail -n 3 "$3"
    failed=1
}

# Processes and memories become logic; an assertion is checked in the clock that it is about.
elaborate() { # top
    printf '%s\n' "prep -flatten -top $1" memory_map async2sync opt dffunmap 'chformal -early' opt_clean
}

# The command that reads the files of a list of the block, FOLDER instead of rtl/.
sources() { # FOLDER, list, definitions
    sed '/^\/\/\|^+/d; s|^[^.]|'"${block##*/}"'/&|; s|^\.\./||' "$block/$2.f" |
        awk -v folder="$1" -v room="${block##*/}" -v definitions="${3:-}" \
            'BEGIN { printf "read_verilog -sv -formal %s -I%s/%s", definitions, folder, room } { printf " %s/%s", folder, $0 } END { print "" }'
}

# ---- assertions ----

# Of each assertion in these files: the file's name, the line that it ends in, the comment above, its text; between tabs.
statements() {
    awk -v OFS='\t' '
        function base(path) { sub(/.*\//, "", path); return path }
        { line = $0 }
        !depth && /^ *\/\// {
            sub(/^ *\/\/ */, "", line)
            note = commented ? note " " line : line
            commented = 1
            next
        }
        { commented = 0; sub(/ *\/\/.*/, "", line) }
        !depth && /^ *$/ { note = "" }
        !depth {
            if (!match(line, /(^|[^a-z_])assert \(/)) next
            text = ""
            depth = 1
            line = substr(line, RSTART + RLENGTH)
        }
        {
            sub(/^ +/, text == "" ? "" : " ", line)
            for (i = 1; i <= length(line) && depth; i++) {
                c = substr(line, i, 1)
                depth += (c == "(") - (c == ")")
                if (depth) text = text c
            }
            if (!depth) print base(FILENAME), FNR, note, text
        }' "$@"
}

# Prints the records of faults.txt, one line each: file and text of the assertion; the proof, the file, the text and its
# replacement, or "-" and the reason why there is no fault.
records() {
    awk -v OFS='\t' '
        function done() {
            if (file != "") print file, text, proof, where, from, to
            file = ""; proof = where = from = "-"; to = ""
        }
        function value() { return substr($0, length($1) + 2) }
        BEGIN { proof = where = from = "-" }
        /^#/ { next }
        !NF { done(); next }
        $1 == "assert" { file = $2; sub(/:$/, "", file); text = substr(value(), length($2) + 2) }
        $1 == "proof" { proof = $2 }
        $1 == "fault" { where = $2; sub(/:$/, "", where); from = substr(value(), length($2) + 2) }
        $1 == "is" || $1 == "none" { to = value() }
        END { done() }' "$block/formal/faults.txt"
}

# Every assertion of these files has a record, and every record one assertion.
listed() {
    statements "$@" >statements.txt
    records >records.txt
    awk -F '\t' '
        NR == FNR { file[NR] = $1; line[NR] = $2; text[NR] = $4; n = NR; of[$1] = 1; next }
        $1 in of {
            found = 0
            for (i = 1; i <= n; i++) if (file[i] == $1 && index(text[i], $2)) { found++; seen[i] = 1 }
            if (found != 1) { print "WRONG: faults.txt: " $1 ": " found " assertions, not one, with: " $2; bad = 1 }
        }
        END {
            for (i = 1; i <= n; i++)
                if (!seen[i]) {
                    print "WRONG: " file[i] ":" line[i] ": no fault in faults.txt that refutes: assert (" text[i] ")"
                    bad = 1
                }
            if (!bad) print n " assertions, each with a fault, or with why there is none"
            exit bad
        }' statements.txt records.txt || failed=1
}

# ---- counterexamples ----

# Makes a design with a signal for each assertion: two bits, enabled and true. Writes their numbers and places to
# `places`.
annotated() { # design as RTLIL
    awk '
        /^  attribute \\src / { src = $3; gsub(/"/, "", src) }
        /^  cell \$assert / { inside = 1; n++ }
        inside && $1 == "connect" { value = $0; sub(/^ *connect [^ ]+ /, "", value); port[$2] = value }
        inside && $1 == "end" {
            inside = 0
            sub(/.*\|/, "", src)
            print n, src >"places"
            wires = wires "  wire width 2 \\assert_" n "\n  connect \\assert_" n " { " port["\\EN"] " " port["\\A"] " }\n"
        }
        /^end$/ { printf "%s", wires }
        { print }' "$1"
}

# Prints the counterexample of a failed proof, whose design is design.il: the assertion, a table of the ports in the last
# clocks (or of the assumed signals, if the design has no ports), and a waveform of all signals.
counterexample() { # proof, options of sat
    annotated design.il >shown.il
    yosys -p "read_rtlil shown.il; sat -prove-asserts -set-assumes $2 -show-public -dump_vcd $1.vcd" >shown.log 2>&1
    # The last model of the log: clock, signal, ..., bits.
    awk '/^ +Time Signal Name/ { n = 0 } /^ +[0-9]+ \\/ { model[n++] = $0 }
        END { for (i = 0; i < n; i++) print model[i] }' shown.log >model
    [ -s model ] || {
        printf '  no counterexample within the bound: %s\n' "$2"
        return
    }
    grep -q 'model found for base case' shown.log ||
        echo '  no reset leads there as far as that was looked for; these clocks begin anywhere:'
    last=$(awk '$1 > last { last = $1 } END { print last }' model)
    awk -v last="$last" '$1 == last && $2 ~ /^\\assert_/ && $NF == "10" { sub(/.*_/, "", $2); print $2 }' model |
        while read -r number; do
            place=$(awk -v n="$number" '$1 == n { print $2 }' places)
            path=${place%%:*}
            end=${place##*-}
            statements "$path" | awk -F '\t' -v line="${end%%.*}" '$2 == line {
                print "  " $1 ":" $2 ": assert (" $4 ")"
                if ($3 != "") print "    " $3 }'
        done
    sed -n 's/^  wire .*\(input\|output\) [0-9]* \\\([^ ]*\)$/\2/p' design.il | grep -v '^clk_i$' >ports
    [ -s ports ] || sed -n 's/^  wire \(width [0-9]* \)\{0,1\}\\\([^ .[]*\)$/\2/p' design.il >ports
    awk -v last="$last" '
        function hex(bits,    digits, i, v) {
            if (bits ~ /[^01]/) return bits
            while (length(bits) % 4) bits = "0" bits
            for (i = 1; i <= length(bits); i += 4) {
                v = 8 * substr(bits, i, 1) + 4 * substr(bits, i + 1, 1) + 2 * substr(bits, i + 2, 1) + substr(bits, i + 3, 1)
                digits = digits substr("0123456789abcdef", v + 1, 1)
            }
            return length(digits) > 12 ? substr(digits, 1, 4) ".." substr(digits, length(digits) - 5) : digits
        }
        FNR == NR { order[++n] = $1; next }
        { name = substr($2, 2); bits[name, $1] = $NF }
        END {
            first = last > 7 ? last - 7 : 1
            printf "  %-16s", "clock"
            for (t = first; t <= last; t++) printf " %12d", t
            print ""
            for (i = 1; i <= n; i++) {
                if (!((order[i], last) in bits)) continue
                printf "  %-16s", order[i]
                for (t = first; t <= last; t++) printf " %12s", hex(bits[order[i], t])
                print ""
            }
        }' ports model
    printf '  waveform: %s/%s.vcd\n' "$work" "$1"
}

# ---- proofs ----

# Proves a design by induction over at most so many clocks. Its line begins with what is proven.
by_induction() { # proof, what, clocks
    {
        design "$1" "$rtl"
        # shellcheck disable=SC2016 # $assert is a kind of cell
        printf '%s\n' 'write_rtlil design.il' 'select -count t:$assert' 'select -count t:$assume' \
            "sat -verify -prove-asserts -set-assumes -tempinduct -maxsteps $3"
    } >prove.ys
    start=$(date +%s)
    if yosys -s prove.ys >prove.log 2>&1 && grep -q 'Induction step proven: SUCCESS' prove.log; then
        k=$(sed -n 's/^\*\* Trying induction with length \([0-9]*\).*/\1/p' prove.log | tail -n 1)
        # shellcheck disable=SC2046,SC2183 # two words
        printf '%s: proven, k = %u; %u assertions, %u assumptions; %u s\n' \
            "$2" "$k" $(sed -n 's/^\([0-9]*\) objects\.$/\1/p' prove.log) $(($(date +%s) - start))
    elif grep -q '^[0-9]* objects\.$' prove.log; then
        wrong "$2" 'not proven'
        counterexample "$1" "-tempinduct -maxsteps $3"
    else
        wrong "$2" 'no design' prove.log
    fi
}

# ---- faults ----

# Arguments: a label; a file of the RTL, its text, and the fault that replaces it. Writes the faulty design to faulty/.
insert() {
    rm -rf faulty
    cp -R "$rtl" faulty
    where=$(cd "$rtl" && find . -name "$2")
    awk -v from="$3" -v to="$4" '
        BEGIN { gsub(/\\/, "\\\\", to) }
        { i = index($0, from) }
        i { $0 = substr($0, 1, i - 1) to substr($0, i + length(from)); n++ }
        { print }
        END { exit n != 1 }' "$rtl/$where" >"faulty/$where" || {
        wrong "$1" "'$3' is not in exactly one line of rtl/$2"
        return 1
    }
}

# For each record of these proofs: with this assertion alone, the design with the fault fails.
refuted() {
    records >records.txt
    while IFS=$tab read -r file text proof where from to; do
        case " $* " in *" $proof "*) ;; *) continue ;; esac
        what="$file: $text"
        insert "$what" "$where" "$from" "$to" || continue
        # shellcheck disable=SC2046 # these names have no blanks
        end=$(statements $(find faulty -name '*.sv' -o -name '*.svh') |
            awk -F '\t' -v file="$file" -v text="$text" '$1 == file && index($4, text) { print $2 }')
        {
            design "$proof" "$work/faulty"
            # shellcheck disable=SC2016 # $assert is a kind of cell
            printf '%s\n' "select -set those a:src=*$file:*-$end.*" 'delete t:$assert @those %d' 'select -assert-min 1 t:$assert' \
                "sat -falsify -prove-asserts -set-assumes -tempinduct-baseonly -maxsteps $(steps "$proof")"
        } >fault.ys
        if yosys -s fault.ys >fault.log 2>&1 </dev/null; then
            printf '  %s\n    fails with: %s\n' "$what" "$to"
        else
            wrong "$what" "holds with: $to" fault.log
        fi
    done <records.txt
}
