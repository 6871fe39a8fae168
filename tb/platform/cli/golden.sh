#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: golden.sh MEMPATH quick|long [--update]
# Runs each case of golden.txt that belongs to the set and compares its digest with the one that is written there.
# --update writes the digests of these runs instead. Then it compares runs with every link through TLM: in the set quick
# of their first 20,000 cycles, which takes a tenth of the time; in the set long whole ones, of quick cases, too.
set -eu
mempath=$1 set=$2 update=${3:-}
list=$(dirname -- "$(readlink -f -- "$0")")/golden.txt
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' INT TERM

digest() { # arguments of mempath
    "$mempath" "$@" --json --quiet --db "$dir/golden.db" >"$dir/json" 2>"$dir/err" ||
        { printf 'golden: mempath %s failed:\n' "$*" >&2 && cat "$dir/err" >&2 && return 1; }
    sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p' "$dir/json" | paste -sd, -
}

bad=0 count=0
compare() { # name, way, expected digest, digest
    count=$((count + 1))
    [ "$3" = "$4" ] && [ -n "$4" ] && return
    printf 'golden: %s (%s): digest %s, expected %s\n' "$1" "$2" "${4:-none}" "$3" >&2
    bad=$((bad + 1))
}

cp "$list" "$dir/cases"
cp "$list" "$dir/new"
while read -r name of expected arguments; do
    case $name in '' | '#'*) continue ;; esac
    case $of,$set in long,quick) continue ;; esac
    if [ "$of" = "$set" ]; then
        # shellcheck disable=SC2086 # the arguments are words
        native=$(digest $arguments)
        if [ -n "$update" ]; then
            sed "s|^\($name  *$of  *\)[^ ]*|\1$native|" "$dir/new" >"$dir/next"
            mv "$dir/next" "$dir/new"
            expected=$native
        fi
        compare "$name" native "$expected" "$native"
    fi
    case $arguments in firmware*) continue ;; esac
    cycles=
    if [ "$set" = quick ]; then
        cycles='--until 20000'
        # shellcheck disable=SC2086
        expected=$(digest $arguments $cycles)
    fi
    # shellcheck disable=SC2086
    compare "$name" 'through TLM' "$expected" "$(digest $arguments $cycles --force-tlm)"
done <"$dir/cases"
[ -z "$update" ] || cat "$dir/new" >"$list"
[ $count -gt 0 ] || { echo "golden: no case in the set '$set'; quick or long" >&2 && exit 2; }
printf 'golden: %d of %d digests equal (%s)\n' $((count - bad)) $count "$set"
[ $bad = 0 ]
