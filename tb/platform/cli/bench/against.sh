#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mempath bench --against`: builds revisions of a small checkout whose program only pretends to simulate: it counts for
# a moment, and has a known digest.
. "$(dirname "$0")/../lib.sh"
MEMPATH_CACHE=$work/cache
export MEMPATH_CACHE GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

git init -q source
cat >source/CMakePresets.json <<'JSON'
{"version": 4, "configurePresets": [{"name": "release", "generator": "Ninja", "binaryDir": "${sourceDir}/build"}]}
JSON
cat >source/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(old NONE)
add_custom_target(mempath COMMAND install -D ${PROJECT_SOURCE_DIR}/program.sh ${PROJECT_BINARY_DIR}/platform/cli/mempath)
CMAKE
cat >source/program.sh <<'PROGRAM'
#!/bin/sh
case $* in
*--help*) echo '--epochs --UNTIL' ;;
*--json*)
    echo "$*" >>"$(dirname "$0")/calls"
    i=0
    while [ $i -lt 100000 ]; do i=$((i + 1)); done
    echo '"digest": "0123456789abcdef0123456789abcdef",'
    ;;
esac
PROGRAM
chmod +x source/program.sh
commit() { git -C source add . && git -C source commit -qm "$1" && git -C source tag "$1"; }
commit whole
sed -i 's/--UNTIL/--until/' source/program.sh && commit cut
sed -i 's/NONE/NONE) nonsense(/' source/CMakeLists.txt && commit broken
calls() { cat "$MEMPATH_CACHE/revisions/$(git -C source rev-parse --short=12 "$1")/build/platform/cli/calls"; }
against() { # expect CODE, or refused PATTERN; then arguments
    how=$1 what=$2
    shift 2
    "$how" "$what" bench --checkout source --quiet "$@"
}

is() { # query, result
    result=$(sqlite3 "$MEMPATH_DB" "$1")
    [ "$result" = "$2" ] || wrong "the database has '$result' in place of '$2'"
}

# This revision cannot end a run at a cycle, so both run the whole small input.
against expect 0 --against whole --cases dws --repeat 3 --json
json "json_extract(j, '\$.cases[0].case', '\$.cases[0].size', '\$.cases[0].pairs')" '["dws","small",3]'
json "json_type(j, '\$.cases[0].until') IS NULL AND json_array_length(j, '\$.cases') = 1" 1
json "j ->> '\$.cases[0].lowest' <= j ->> '\$.cases[0].ratio' AND j ->> '\$.cases[0].ratio' <= j ->> '\$.cases[0].highest'" 1
json "j ->> '\$.cases[0].seconds_against' > 0 AND j ->> '\$.cases[0].lowest' > 0" 1
json "(j ->> '\$.cases[0].instructions') IS NULL" 1
json "json_extract(j, '\$.cases[0].same_digest', '\$.cases[0].digest_against')" '[false,"0123456789abcdef0123456789abcdef"]'
[ "$(calls whole | wc -l)" = 4 ] || wrong 'not one run to begin with, and one for each pair'
calls whole | grep -q 'run dws-30sm --set .*tenants.1.size=small --json' || wrong 'not the small input'

# This one can.
against expect 0 --against cut --cases dws --repeat 1
says ' 500,000  *1  *[0-9.]* s .* DIFFERENT$'
says 'did not do the same work'
calls cut | grep -q 'tenants.1.size=medium --until 500000 --json' || wrong 'the run is not cut'
is "SELECT group_concat(\"case\" || ' ' || experiment || ' ' || coalesce(cut_at, 'whole') || ' ' || pairs || ' ' || same_results, ', ') FROM host_pair" 'dws dws-30sm whole 3 0, dws dws-30sm 500000 1 0'
is 'SELECT count(*) FROM host_pair WHERE ratio > 0 AND seconds_against > 0 AND event_ns IS NULL AND length(against) = 12' 2
[ -z "$(git -C source status --porcelain)" ] || wrong 'the checkout was changed'
[ "$(git -C source worktree list | wc -l)" = 1 ] || wrong 'the checkout has another worktree'

# A build that fails names its log.
expect 1 bench --checkout source --quiet --against broken
log=$(sed -n 's/.*: [0-9a-f]* cannot be built; its log is \(.*\)/\1/p' err)
grep -q 'nonsense' "$log" || wrong "the log '$log' does not say why"

against refused "no revision 'v9' in source" --against v9
against refused "no revision '--all'" --against=--all
mkdir none
refused 'none is no git checkout' bench --against HEAD --checkout none
refused 'nothing to build' bench --checkout source
refused 'compares with another revision' bench --sizes
refused "no case 'x'" bench --against HEAD --cases x
env PATH=/nowhere "$mempath" bench --against HEAD >out 2>err && wrong 'it works without git'
grep -q 'no git; the Debian package git' err || wrong 'it does not say that git is missing'
finished
