#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs an application with a small input under the module @NAME@: it must count the requests that the block counts, and
# its delay must have an effect.
#   test.sh PLUGIN.so       MEMPATH is the program, if it is not that of pkg-config
set -eu
mempath=${MEMPATH:-$(pkg-config --variable=program mempath-plugin)}
plugin=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'preset: star-a100-mig\ntenants:\n  - {app: FIR, size: small, slices: 3}\n' >"$work/one.yaml"

digest() {
    "$mempath" --db "$work/results.db" run "$work/one.yaml" --quiet "$@" 2>"$work/err" | sed -n 's/.* digest //p'
}
fail() {
    echo "FAILED: $1" >&2
    exit 1
}

usual=$(digest)
[ -n "$usual" ] || fail 'the run has no result'
[ "$(digest --plugin "$plugin")" != "$usual" ] || fail 'the delay changes nothing'
counted=$(sed -n 's/^@NAME@: .*: \(.*\) requests$/\1/p' "$work/err")
known=$("$mempath" --db "$work/results.db" query --csv "SELECT sum(value) FROM metrics WHERE run = 2
    AND component = 'gpu.l3_tlb' AND metric = 'lookups'" | tail -n 1)
[ "$counted" = "$known" ] || fail "counted $counted requests, the block $known"
echo "passed: $(grep '^@NAME@: ' "$work/err")"
