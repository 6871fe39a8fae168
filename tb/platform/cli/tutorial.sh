#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tutorial's policy, in a copy of the sources: the commands of section 5 as they are printed. The other commands are
# run by examples.sh.
#
#   tutorial.sh SOURCES CACHE
set -eu
sources=$(realpath "$1")
MEMPATH_CACHE=$(realpath -m "$2")
export MEMPATH_CACHE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$*" >&2 && exit 1; }

(cd "$sources" && git ls-files -z -c -o --exclude-standard | tar -c --null -T -) | tar -x -C "$work"
cd "$work"
awk '/^## / { on = /^## 5\./ } on && /^    / { sub(/^    /, ""); print }' platform/tutorial/README.md >commands
[ "$(wc -l <commands)" -ge 4 ] || fail 'section 5 has no commands'
unset MEMPATH_BUILD MEMPATH_PRESET
sh -eu commands >out 2>err </dev/null || { cat out err >&2 && fail 'the commands of section 5'; }
# Three runs, whose only difference is the policy; the last look-up of the stimuli misses with fifo only.
platform/mempath query "SELECT count(DISTINCT digest) = 3 AND count(*) = 3 AS good FROM run
    WHERE status = 'done' AND id IN (SELECT run FROM parameter WHERE path = 'l3_tlb.policy' AND value IN ('subentry', 'fifo', 'star'))" \
    --csv | grep -qx 1 || fail 'not three different runs'
[ "$(tail -n 1 out)" = 'miss 40' ] || fail "the last look-up: '$(tail -n 1 out)', not 'miss 40'"
platform/mempath params l3_tlb.policy | grep -q fifo || fail 'params does not list the policy'
