# SPDX-License-Identifier: Apache-2.0
# Makes one AIG of a design and its mutant, both in ASCII AIGER with the same ports and registers. Its one output is 1
# in a clock in which they differ. Registers hold anything at first, the same in both, and the first clock is a reset.
# usage: awk -v reset=PORT -v ands=FILE [-v rules=PORT] [-v apart=1] -f equal.awk DESIGN.aag MUTANT.aag
#   reset  an input; 0 is a reset
#   ands   a work file: the header, which is printed before the gates, says how many there are
#   rules  an output that is 1 if the inputs keep to the rules of the ports; from a clock in which it is 0 nothing is compared
#   apart  each has registers of its own, and only outputs are compared. Otherwise the mutant sees the design's registers,
#          and what it would store in them is compared, too.
FNR == 1 { file++; inputs = $3; registers = $4; outputs = $5; gates = $6; next }
FNR <= (end = 1 + inputs) { input[file, FNR - 2] = $1 / 2; next }
FNR <= (begin = end) + registers { register[file, FNR - begin - 1] = $1 / 2; store[file, FNR - begin - 1] = $2; next }
FNR <= (begin += registers) + outputs { output[file, FNR - begin - 1] = $1; next }
FNR <= (begin += outputs) + gates { gate[file, FNR - begin - 1] = $0; of[file] = FNR - begin; next }
/^i[0-9]/ { if ($2 == reset) reset_at = substr($1, 2) + 0; names[file] = names[file] " " $2 }
/^o[0-9]/ { if ($2 == rules) rules_at = substr($1, 2) + 0; names[file] = names[file] " " $2 }

function not(x) { return x % 2 ? x - 1 : x + 1 }
function literal(f, x) { return x < 2 ? x : x % 2 ? not(value[f, int(x / 2)]) : value[f, int(x / 2)] }
function both(x, y) { print (2 * ++last) " " x " " y >ands; n++; return 2 * last }
function either(x, y) { return not(both(not(x), not(y))) }
function differ(x, y) { return x == y ? 0 : either(both(x, not(y)), both(not(x), y)) }

END {
    if (names[1] != names[2] || reset_at == "") { print "equal.awk: other ports" >"/dev/stderr"; exit 1 }
    last = inputs + (apart ? 3 : 1) * registers
    started = 2 * ++last
    broken = 2 * ++last # a rule, in an earlier clock
    for (k = 0; k < inputs; k++)
        value[1, input[1, k]] = value[2, input[2, k]] = k == reset_at ? both(started, 2 * (k + 1)) : 2 * (k + 1)
    for (k = 0; k < registers; k++)
        for (f = 1; f <= 2; f++) {
            held[f, k] = 2 * (inputs + (apart ? f - 1 : 0) * registers + k + 1)
            any[k] = 2 * (inputs + 2 * registers + k + 1)
            value[f, register[f, k]] = apart ? either(both(started, held[f, k]), both(not(started), any[k])) : held[f, k]
        }
    for (f = 1; f <= 2; f++) {
        for (k = 0; k < of[f]; k++) { split(gate[f, k], g); value[f, g[1] / 2] = 2 * ++last }
        for (k = 0; k < of[f]; k++) {
            split(gate[f, k], g)
            print value[f, g[1] / 2] " " literal(f, g[2]) " " literal(f, g[3]) >ands
            n++
        }
    }
    wrong = 0
    for (k = 0; k < outputs; k++) wrong = either(wrong, differ(literal(1, output[1, k]), literal(2, output[2, k])))
    if (!apart)
        for (k = 0; k < registers; k++) wrong = either(wrong, differ(literal(1, store[1, k]), literal(2, store[2, k])))
    kept = both(not(broken), rules == "" ? 1 : literal(1, output[1, rules_at]))
    wrong = both(both(wrong, started), kept)

    print "aag", last, inputs + (apart ? registers : 0), (apart ? 2 : 1) * registers + 2, 1, n
    for (k = 0; k < inputs; k++) print 2 * (k + 1)
    for (k = 0; apart && k < registers; k++) print any[k]
    for (f = 1; f <= (apart ? 2 : 1); f++)
        for (k = 0; k < registers; k++) print held[f, k], literal(f, store[f, k]), apart ? 0 : held[f, k]
    print started, 1, 0
    print broken, not(kept), 0
    print wrong
    close(ands)
    while ((getline line <ands) > 0) print line
}
