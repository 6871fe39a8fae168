#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exports.sh LIBRARY HEADER PACKAGE README MEMPATH: the first three have the same functions, and the library has no other
# symbol. The page lists all policies.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nm -D --defined-only "$1" | sed 's/^[0-9a-f]* . //; s/@.*//' | sort >"$work/library"
sed -n 's/^[a-z].*[ *]\(mempath_[a-z_]*\)(.*/\1/p' "$2" | sort >"$work/header"
sed -n 's/^ *import "DPI-C" function [a-z ]* \(mempath_[a-z_]*\)(.*/\1/p' "$3" | sort >"$work/package"
[ -s "$work/header" ] || { echo "no function in $2"; exit 1; }
diff "$work/header" "$work/library" || { echo "the library's symbols (>) are not those of the header (<)"; exit 1; }
diff "$work/header" "$work/package" || { echo "the package's functions (>) are not those of the header (<)"; exit 1; }
policies=$("$5" params l3_tlb.policy | sed -n 's/^l3_tlb.policy  *[^ ]*  *\([^ ]*|[^ ]*\) .*/\1/p' | tr '|' ' ')
[ -n "$policies" ] || { echo "no policies in mempath params l3_tlb.policy"; exit 1; }
for policy in $policies; do
    grep -q "\`$policy\`" "$4" || { echo "$4 does not list the policy $policy"; exit 1; }
done
echo "$(wc -l <"$work/library") functions"
