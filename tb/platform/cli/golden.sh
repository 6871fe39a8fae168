#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Usage: golden.sh MEMPATH quick|long [--update]
# Runs each case of golden.txt that belongs to the set, natively and with every link through TLM, and compares its
# digest with the one that is written there. --update writes the digests of the native runs instead.
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
    [ "$of" = "$set" ] || continue
    # shellcheck disable=SC2086 # the arguments are words
    native=$(digest $arguments)
    if [ -n "$update" ]; then
        sed "s|^\($name  *$of  *\)[^ ]*|\1$native|" "$dir/new" >"$dir/next"
        mv "$dir/next" "$dir/new"
        expected=$native
    fi
    compare "$name" native "$expected" "$native"
    case $arguments in firmware*) continue ;; esac
    # shellcheck disable=SC2086
    compare "$name" 'through TLM' "$expected" "$(digest $arguments --force-tlm)"
done <"$dir/cases"
[ -z "$update" ] || cat "$dir/new" >"$list"
[ $count -gt 0 ] || { echo "golden: no case in the set '$set'; quick or long" >&2 && exit 2; }
printf 'golden: %d of %d digests equal (%s)\n' $((count - bad)) $count "$set"
[ $bad = 0 ]
