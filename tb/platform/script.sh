#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the script platform/mempath with replacements for cmake, ninja, the packages and the clock: what it prints about a
# build without a terminal.
set -u
script=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

wrong() {
    printf 'FAILED: %s\n--- stdout\n' "$*" >&2
    cat out >&2
    printf -- '--- stderr\n' >&2
    cat err >&2
    exit 1
}

stand_in() { # name, script
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

mkdir -p bin root/platform built/platform/cli
cp "$script" root/platform/mempath
stand_in dpkg-query 'echo installed'
stand_in sleep 'exec /bin/sleep 0.2' # ten seconds of the script
stand_in cmake ':'
printf '#!/bin/sh\necho "built: $*"\n' >built/platform/cli/mempath
chmod +x built/platform/cli/mempath
: >built/build.ninja

mempath() { PATH=$work/bin:$PATH MEMPATH_BUILD=$work/built sh root/platform/mempath "$@" >out 2>err </dev/null; }

# A long build: lines with ninja's progress on stderr, nothing of it on stdout.
stand_in ninja 'echo "ninja: Entering directory"; echo "[1/3] Building a"; /bin/sleep 0.7; echo "[2/3] Building b"; /bin/sleep 0.7; echo "[3/3] Linking c"'
mempath query runs || wrong 'a long build fails'
[ "$(cat out)" = 'built: query runs' ] || wrong 'the built program does not run, or its output is not alone'
grep -qx 'mempath: building \[1/3\]' err || wrong 'no line of progress'
grep -qx 'mempath: building \[2/3\]' err || wrong 'progress does not go on'
lines=$(wc -l <err)
[ "$lines" -le 8 ] || wrong "$lines lines in seven times ten seconds"
/bin/sleep 0.5
[ "$(wc -l <err)" = "$lines" ] || wrong 'progress is reported after the build'

# A short one says nothing.
stand_in ninja 'echo "[1/1] Building a"'
mempath query runs || wrong 'a short build fails'
[ ! -s err ] || wrong 'a short build is not quiet'

# One that fails shows its log without the steps that went well, and ends with 1.
stand_in ninja 'echo "[1/2] Building a"; echo "a.c:1: error: no"; exit 1'
mempath query runs && wrong 'a failed build is taken as done'
grep -q 'a.c:1: error: no' err || wrong 'the error is not shown'
grep -q 'Building a' err && wrong 'steps that went well are shown'
grep -q '^mempath: build: failed' err || wrong 'the failure has no line'
echo passed
