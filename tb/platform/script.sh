#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the script platform/mempath with replacements for cmake, ninja, the packages and the clock: what it prints about a
# build without a terminal, and what it builds.
# shellcheck disable=SC2016 # variables of the replacements
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
stand_in dpkg-query 'shift 2; for p do echo "$p installed"; done'
stand_in sleep 'exec /bin/sleep 0.2' # ten seconds of the script
stand_in cmake ':'
printf '#!/bin/sh\necho "built: $*"\n' >built/platform/cli/mempath
chmod +x built/platform/cli/mempath
cp built/platform/cli/mempath program
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
touch root/platform/mempath
mempath query runs || wrong 'a short build fails'
[ ! -s err ] || wrong 'a short build is not quiet'

# One that fails shows its log without the steps that went well, and ends with 1.
stand_in ninja 'echo "[1/2] Building a"; echo "a.c:1: error: no"; exit 1'
touch root/platform/mempath
mempath query runs && wrong 'a failed build is taken as done'
grep -q 'a.c:1: error: no' err || wrong 'the error is not shown'
grep -q 'Building a' err && wrong 'steps that went well are shown'
grep -q '^mempath: build: failed' err || wrong 'the failure has no line'

# What is older than the build needs no ninja; what is newer does.
folders='models db sw rtl tb .git'
for folder in $folders; do mkdir -p "root/$folder"; done
: >root/CMakeLists.txt
: >root/models/a.c
stand_in ninja 'echo "$*" >>"$MEMPATH_BUILD/ninja"; case $* in *fails*) exit 1 ;; esac'
builds() { # number of calls of ninja, for this command
    wanted=$1
    shift
    rm -f built/ninja
    mempath "$@" || wrong "mempath $* fails"
    got=0
    [ ! -e built/ninja ] || got=$(wc -l <built/ninja)
    [ "$got" = "$wanted" ] || wrong "mempath $*: ninja was called $got times, not $wanted"
}
builds 1 query runs
builds 0 query runs
builds 0 params
echo 'int a;' >root/models/a.c
touch -d '2001-02-03' root/models/a.c
builds 1 query runs
builds 0 query runs
mv root/models/a.c root/models/b.c
builds 1 query runs
builds 0 query runs
: >root/.git/HEAD
builds 1 query runs # the revision is in the program
rm built/platform/cli/mempath
cp "$work/program" built/platform/cli/mempath
builds 1 query runs
builds 0 query runs

# What the program answers alone builds neither RTL nor everything else.
for ask in 'cosim --list' 'cosim' 'cosim star --help' 'evidence --list' 'rtl --help' 'evidence --help'; do
    touch root/models/b.c
    # shellcheck disable=SC2086 # words
    builds 1 $ask
    grep -qx -- "-C $work/built programs" built/ninja || wrong "mempath $ask builds $(cat built/ninja)"
done

# Of the tests, only what those need that match. ctest lists them.
printf 'test_a test_a\ncli_b programs\nscript\n' >built/test-needs
stand_in ctest 'case "$*" in *-N*) for t in $TESTS; do echo "  Test #1: $t"; done; echo "Total Tests: 2" ;; esac'
stand_in nproc 'echo 1'
tests_build() { # targets, tests
    rm -f built/ninja
    : >built/ninja
    TESTS=$2
    export TESTS
    mempath test x || wrong "test fails"
    got=$(sed -n "s|-C $work/built ||p" built/ninja | grep -v '^build.ninja$' | tr ' ' '\n' | sort | tr '\n' ' ')
    [ "$got" = "$1" ] || wrong "of the tests $2 '$got' is built, not '$1'"
}
tests_build 'test_a ' 'test_a'
tests_build 'programs test_a ' 'test_a cli_b'
tests_build '' 'script'
tests_build 'all ' 'test_a other'
# A label that --long adds is not excluded because --long was not given.
stand_in ctest 'echo "$*" >asked; echo "  Test #1: script"'
mempath test --label long x || wrong 'test --label long fails'
grep -q -- '-R x -L long -j' asked || wrong "test --label long runs ctest $(cat asked)"
mempath test --label fuzz || wrong 'test --label fuzz fails'
grep -q -- '-L fuzz -LE long|bench' asked || wrong "test --label fuzz runs ctest $(cat asked)"

# A build folder that was configured elsewhere is configured again; that of a link to the same place is not.
stand_in cmake 'echo "$*" >"$MEMPATH_BUILD/cmake"; : >"$MEMPATH_BUILD/build.ninja"'
cache() { printf 'CMAKE_CACHEFILE_DIR:INTERNAL=%s\nCMAKE_HOME_DIRECTORY:INTERNAL=%s\n' "$2" "$1" >built/CMakeCache.txt; }
cache "$work/root" "$work/built"
touch root/models/b.c
builds 1 query runs
[ ! -e built/cmake ] || wrong 'configures again without a reason'
ln -s root link
cache "$work/link" "$work/built"
touch root/models/b.c
builds 1 query runs
[ ! -e built/cmake ] || wrong 'configures again for a link'
for place in "$work/original $work/built" "$work/root $work/original/build"; do
    # shellcheck disable=SC2086 # two words
    cache $place
    touch root/models/b.c
    builds 1 query runs
    [ -e built/cmake ] || wrong "builds the sources of $place"
    [ ! -e built/CMakeCache.txt ] || wrong 'the old CMakeCache.txt is still there'
    grep -q "^mempath: $work/built was configured as .*; building it again for $work/root$" err || wrong 'no line says why'
    [ "$(wc -l <err)" -le 2 ] || wrong 'more than a line about it'
    rm built/cmake
done
# A checkout that was moved with its build folder, which no file's time shows.
builds 0 query runs
mv root moved
mkdir -p moved/build
mv built/* moved/build/
mkdir root
PATH=$work/bin:$PATH MEMPATH_BUILD=$work/moved/build sh moved/platform/mempath query runs >out 2>err </dev/null || wrong 'moved: fails'
[ "$(wc -l <moved/build/ninja)" = 1 ] || wrong 'moved: nothing is built'
echo passed
