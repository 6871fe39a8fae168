#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the demonstration under the design @NAME@, with small inputs, SRAD in place of NW, and few page walkers: by C calls
# and over TLM-2.0 it must have the same results, and with @OTHER@ other ones.
#   test.sh PLUGIN.so       MEMPATH is the program, if it is not that of pkg-config
set -eu
mempath=${MEMPATH:-$(pkg-config --variable=program mempath-plugin)}
plugin=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

digest() {
    "$mempath" --db "$work/results.db" run demo --set tenants.size=small --set tenants.1.app=SRAD \
        --set walk.walkers_per_slice=1 --quiet --plugin "$plugin" \
        --set @CHOICE@=@NAME@@BESIDES@ "$@" | sed -n 's/.* digest //p'
}
fail() {
    echo "FAILED: $1" >&2
    exit 1
}

usual=$(digest)
[ -n "$usual" ] || fail 'the run has no result'
[ "$(digest --force-tlm)" = "$usual" ] || fail 'another result over TLM-2.0'
[ "$(digest --set @OTHER@)" != "$usual" ] || fail '@OTHER@ changes nothing'
echo "passed: digest $usual"
