#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The library of reverse engineering knows only what its caller passes: what it takes from elsewhere is in the list
# of the second argument. Sanitizers, the stack protector and the linker add names that C reserves: _ and another _ or a
# capital letter.
set -eu
allowed=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -P "$1" | awk 'NF > 1 && $2 != "U" { print $1 }' | sort -u >"$work/defined"
nm -P "$1" | awk '$2 == "U" && $1 !~ /^_[_A-Z]/ { print $1 }' | sort -u >"$work/undefined"
comm -23 "$work/undefined" "$work/defined" >"$work/needs"
[ -s "$work/defined" ] || { echo "$1: no symbols" >&2; exit 1; }
comm -23 "$work/needs" "$allowed" >"$work/more"
[ ! -s "$work/more" ] || { echo "$1 needs what $2 does not list:" >&2; cat "$work/more" >&2; exit 1; }
