#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual page and bash's completion, which are made from the same tables as the help texts.
. "$(dirname "$0")/lib.sh"

# ---- the manual page ----

expect 0 help --man
cp out page
expect 0 help --man
cmp -s out page || wrong 'two manual pages differ'
if command -v mandoc >/dev/null; then
    mandoc -T lint page >out 2>err || wrong 'mandoc finds errors or warnings in the manual page'
fi
command -v man >/dev/null || wrong 'man is missing; the Debian package man-db'
LC_ALL=C.UTF-8 MANWIDTH=200 MANROFFOPT=-c man -l --warnings=w page >shown 2>err || wrong 'man cannot show the page'
[ ! -s err ] || wrong 'the formatter warns'
grep -q '^MEMPATH(1)' shown || wrong 'no title'

# Each command and block has a section with all its options, and with its examples as they are printed.
commands() {
    "$mempath" help | sed -n '/^Usage:/,/^Start with:/s/^  \([a-z]*\)  .*/\1/p' | grep -vx 'test\|models\|package'
    for command in cosim replay; do
        "$mempath" $command --json | sed -n "s/.*\"block\": \"\(.*\)\".*/$command \1/p"
    done
}
commands >list
[ "$(wc -l <list)" -ge 25 ] || wrong 'commands are missing from mempath help'
while read -r command; do
    sed -n "/^   mempath $command\$/,/^   mempath /p" shown >section
    # shellcheck disable=SC2086 # a command and perhaps its block
    "$mempath" $command --help >text
    sed -n '1,/Everywhere:/s/^ *\(-[A-Za-z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' text | while read -r option; do
        case $option in --help) continue ;; esac
        grep -q -- "^ .*$option\([ =]\|\$\)" section || wrong "manual page: $command has no $option"
    done || exit 1
    sed -n '/^Examples:/,/^$/s/^  //p' text | while read -r example; do
        grep -qF -- "$example" section || wrong "manual page: $command has no example '$example'"
    done || exit 1
done <list

# ---- JSON ----

expect 0 help --json
json "(SELECT count(*) FROM json_each(j) WHERE value ->> 'command' IN ('run', 'query', 'test') AND length(value ->> 'title') > 9)" 3
for ask in 'help run --json' 'run --help --json' '--json run --help'; do
    # shellcheck disable=SC2086 # words
    expect 0 $ask
    json "json_extract(j, '\$.command', '\$.arguments')" '["mempath run","[EXPERIMENT...]"]'
    json "(SELECT value ->> 'value' FROM json_each(j, '\$.options') WHERE value ->> 'name' = 'until')" CYCLE
done
expect 0 cosim star --help --json
json "json_extract(j, '\$.command')" 'mempath cosim star'

# ---- completion ----

expect 0 help --bash
cp out completion
bash -n completion || wrong 'bash cannot read the completion'
cat >complete.bash <<'BASH'
. ./completion
complete -p mempath | grep -q -- '-F _mempath' || exit 3
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
_mempath
printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' ' '
BASH
completes() { # to, words
    wanted=$1
    shift
    checks=$((checks + 1))
    got=$(bash complete.bash mempath "$@") || wrong "completion of '$*' fails"
    [ "$got" = "$wanted${wanted:+ }" ] || { [ -z "$wanted" ] && [ "$got" = ' ' ]; } || wrong "'mempath $*' is completed to '$got', not '$wanted'"
}
completes 'record replay report reproduce reveal' re
completes 'demo dws-30sm' run star/w1 d
completes '--threads --trace-window' run --t
completes '--json' --j
completes 'query' --json que
completes 'l3_tlb.entries=' run --seed 3 --set l3_tlb.en
completes 'l3_tlb.entries=' run --set = l3_tlb.en
completes 'subregions' replay sub
completes '--ways' replay tlb --wa
completes '--ways' replay --json tlb --wa
completes '--owners' replay walks --own
completes 'medium paper small' bench --size ''
completes 'medium' bench --size = m
completes 'ipc' query ip
completes 'where' firmware wh
completes 'sweep' help sw
completes '' nonsense --wa
completes '' run --output comp
mkdir pictures
completes 'pictures' plot -o pic
finished
