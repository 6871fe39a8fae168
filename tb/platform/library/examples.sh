#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds examples outside the tree and runs them.
#   examples.sh MEMPATH CACHE EXAMPLES WHERE NAME...   WHERE: the folder of mempath-config.cmake in a build; or a whole
#                                                     build, of which the library is installed
examples=$(realpath "$3") where=$(realpath "$4")
. "$(dirname "$0")/../cli/lib.sh"
shift 4
export SC_COPYRIGHT_MESSAGE=DISABLE

ask() { sqlite3 "$MEMPATH_DB" "$1"; }
run() { # NAME ARGUMENTS...: sets said, from the line that the example prints
    name=$1
    shift
    "build/$name" "$@" >out 2>err || wrong "the example $name fails"
    said=$(cat out)
}
number() { # UNIT: the number before it
    echo "$said" | sed "s/.* \([0-9]*\) $1.*/\1/"
}
counted() { # PATTERN METRIC, of the latest run
    ask "SELECT sum(value) FROM metrics WHERE run = (SELECT max(id) FROM run) AND component GLOB '$1' AND metric = '$2'"
}
equal() { # WHAT SAID COUNTED
    [ "$2" = "$3" ] || wrong "$1: the example says $2, the database $3"
}

check_traffic() {
    run traffic traffic/traffic.yaml "$MEMPATH_DB" 50
    equal translations "$(number translations)" "$(counted 'gpu.*.l1_tlb' lookups)"
    equal translations "$(number translations)" $((42 * 50))
    equal stores "$(number stores)" "$(counted 'gpu.*.l1d' stores)"
    equal loads "$(number loads)" $(($(counted 'gpu.*.l1d' lookups) - $(counted 'gpu.*.l1d' stores)))
    equal wrong "$(number wrong)" 0
    equal status 'done' "$(ask 'SELECT status FROM run ORDER BY id DESC LIMIT 1')"
    equal program traffic "$(ask 'SELECT name FROM run_plugin ORDER BY run DESC LIMIT 1')"
    first=$said
    run traffic traffic/traffic.yaml "$MEMPATH_DB" 50
    [ "${said#run * digest}" = "${first#run * digest}" ] || wrong 'another result of the same run'
}
check_dram() {
    expect 0 record MT --size small -o dram/mt.gwt.zst --quiet
    expect 0 run dram/dram.yaml --quiet
    usual=$(ask 'SELECT digest FROM run ORDER BY id DESC LIMIT 1')
    cycles=0
    for column in 14 40; do
        run dram dram/dram.yaml "$MEMPATH_DB" $column
        equal 'lines read' "$(number 'lines read')" "$(counted 'gpu.*.l2d' fills)"
        equal 'lines written' "$(number written)" "$(counted 'gpu.*.l2d' writebacks)"
        [ "$(number 'lines read')" -gt 0 ] || wrong 'no line is read'
        [ "$(number written)" -gt 0 ] || wrong 'no line is written'
        [ "$(number cycles)" -gt "$cycles" ] || wrong 'the slower memory is not slower'
        cycles=$(number cycles)
        equal digests 1 "$(ask "SELECT digest <> '$usual' FROM run ORDER BY id DESC LIMIT 1")"
    done
    equal digests 2 "$(ask "SELECT count(DISTINCT digest) FROM run JOIN run_plugin ON run = id WHERE name = 'dram'")"
}

found=-Dmempath_DIR=$where
if [ -e "$where/CMakeCache.txt" ]; then
    prefix=$work/installed
    cmake --install "$where" --prefix "$prefix" --component library >out 2>err || wrong 'cmake --install'
    [ -e "$prefix/share/doc/mempath/library.md" ] || wrong 'no document'
    found=-DCMAKE_PREFIX_PATH=$prefix
    examples=$prefix/share/doc/mempath/examples
    nm -DC --defined-only "$prefix"/lib*/libmempath.so | grep ' sc_main' && wrong 'the library has an sc_main'
fi
for example in "$@"; do
    cp -r "$examples/$example" .
    rm -rf build
    cmake -S "$example" -B build "$found" -DCMAKE_CXX_FLAGS=-Werror >out 2>err || wrong "cmake: $example"
    cmake --build build >out 2>err || wrong "cmake --build: $example"
    checks=$((checks + 2))
    "check_$example"
done
finished
