#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs mempath by `cmake --install` and from the Debian package into folders, hides the sources and the build, makes
# the installation read-only, and uses it: the demonstration, RTL, firmware, the library, the manual page, completion.
#
#   package.sh SOURCES BUILD
set -u

wrong() {
    printf 'FAILED: %s\n' "$*" >&2
    for f in out err; do [ ! -s "$work/$f" ] || { printf -- '--- %s\n' $f && head -n 30 "$work/$f"; } >&2; done
    exit 1
}

# Runs a command; its exit code must be 0, and its stdout must have a line that matches, unless the pattern is ''.
does() { # pattern, command
    pattern=$1
    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null || wrong "exit code $? of: $*"
    [ -z "$pattern" ] || grep -q -- "$pattern" "$work/out" || wrong "no '$pattern' on stdout of: $*"
}

# ---- outside: install, then start this script again without sources ----

if [ "$1" != inside ]; then
    sources=$(realpath "$1") build=$(realpath "$2")
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    unshare -rm true 2>/dev/null || {
        echo 'skipped: this user cannot make a mount namespace'
        exit 77
    }
    cp "$0" "$work/package.sh"
    DESTDIR=$work/installed cmake --install "$build" --prefix /usr >"$work/out" 2>"$work/err" || wrong 'cmake --install fails'
    # cpack writes its log to where it is.
    (cd "$work" && cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/cpack") >"$work/out" 2>"$work/err" || wrong 'cpack fails'
    grep -qi warning "$work/out" "$work/err" && wrong 'cpack warns'
    deb=$(echo "$work"/cpack/*.deb)
    dpkg-deb -x "$deb" "$work/root" || wrong 'dpkg-deb -x fails'
    (cd "$work/installed" && find . | sort) >"$work/by-cmake"
    (cd "$work/root" && find . | sort) >"$work/by-dpkg"
    diff "$work/by-cmake" "$work/by-dpkg" >"$work/out" || wrong 'the package has other files than the installation'
    if command -v lintian >/dev/null; then
        lintian --allow-root --fail-on error "$deb" >"$work/out" 2>"$work/err" || wrong 'lintian finds errors'
    fi
    unshare -rm sh "$work/package.sh" inside "$sources" "$build" "$work"
    exit
fi

# ---- inside ----

sources=$2 build=$3 work=$4
cd "$work" && mkdir home cache tmp here && cd here || exit 1
mount -t tmpfs none "$sources" || wrong 'the sources cannot be hidden'
[ ! -e "$build" ] || mount -t tmpfs none "$build" || wrong 'the build cannot be hidden'
for file in "$sources/README.md" "$build/CMakeCache.txt"; do [ ! -e "$file" ] || wrong "$file is still there"; done
mount --bind "$work/root" "$work/root"
mount -o remount,bind,ro "$work/root" || wrong 'no read-only installation'
! touch "$work/root/x" 2>/dev/null || wrong 'the installation can be written'

unset MEMPATH_DB MEMPATH_CACHE MEMPATH_BUILD MEMPATH_PRESET
export HOME="$work/home" XDG_CACHE_HOME="$work/cache" TMPDIR="$work/tmp" PATH="$work/root/usr/bin:$PATH"
usr=$work/root/usr
own=$(dirname "$(readlink -f "$usr/bin/mempath")")

does '^Start with' mempath
# The demonstration.
does 'performance relative to running alone' mempath run --quiet
does 'demo' mempath query runs
does '"digest"' mempath run star-a100-mig --set tenants.0.app=FIR --set tenants.0.size=small --set tenants.0.slices=1 --json --quiet
cp "$usr/share/mempath/experiments/demo.yaml" mine.yaml
does 'MT small' mempath run ./mine.yaml --set tenants.size=small --until 20000 --quiet
does 'gpu' mempath machine -o machine.svg
[ -s machine.svg ] || ! command -v dot >/dev/null || wrong 'no picture of the machine'
does 'W10' mempath reproduce star/fig10 --size small --check --quiet

# The user's kernels: clang, its built-in functions, and the compiler of kernels are found.
echo '__kernel void twice(__global float *a) { a[get_global_id(0)] *= 2; }' >twice.cl
does '' mempath record --cl twice.cl --kernel twice --global 64 --local 64 --arg buf:float:64 -o twice.gwt --quiet
does 'twice' mempath trace info twice.gwt
printf '#include <cuda_fp16.h>\n__global__ void twice(float *a) { a[threadIdx.x] *= 2; }\n' >twice.cu
does '' mempath record --cu twice.cu --kernel twice --grid 1 --block 64 --arg buf:float:64 -o twice.gwt --quiet
does 'twice' mempath trace info twice.gwt

# RTL: as it was built with the package, and a block of the user's.
if [ -e "$own/libmempath-cosim.so" ]; then
    does 'equal' mempath cosim star --transactions 100000 --quiet
    sed 's/^module mp_star_tlb /module mine /' "$own/rtl/star/mp_star_tlb.sv" >mine.sv
    does 'equal' mempath cosim star --rtl-top mine.sv --transactions 10000 --quiet
    does 'equal' mempath cosim dws --waves w.fst --transactions 1000 --quiet
    sed 's/way_i\[j\] ? forget_i/way_i[j] ? order_i[P]/' "$own/rtl/common/mp_lru_order.sv" >mp_lru_order.sv
    mempath cosim star --rtl-top mine.sv --transactions 1000 --quiet >"$work/out" 2>"$work/err" && wrong 'a fault in the RTL is not found'
fi
if command -v yosys >/dev/null && command -v sta >/dev/null && [ -e /usr/share/qflow/tech/osu018 ]; then
    does 'bounds held' mempath rtl l1_tlb --quiet
fi

# Firmware: the included image, and one from the library.
if [ -e "$own/mempath-firmware.elf" ]; then
    does '' mempath firmware run --quiet
    does 'main' mempath firmware where --elf "$own/mempath-firmware.elf" "0x$(nm "$own/mempath-firmware.elf" | sed -n 's/ T main$//p')"
    does 'files' mempath firmware sdk fw
    does '' fw/build.sh tenants.elf fw/example/tenants.c
    does '' mempath firmware run tenants.elf --workload 0=FIR:small --workload 1=FIR:small --quiet
fi

# Commands that need the sources say what is missing.
mempath bench --against HEAD --quiet >"$work/out" 2>"$work/err" && wrong 'bench --against needs no sources'
grep -q -- '--checkout names one' "$work/err" || wrong 'bench --against does not say what it needs'

mempath evidence --quiet >"$work/out" 2>"$work/err" && wrong 'evidence needs no build'
grep -q 'in the sources, platform/mempath evidence' "$work/err" || wrong 'evidence does not say what it needs'

# The library: a program as a hardware engineer writes it.
cat >tlb.c <<'C'
#include <mempath_models.h>
#include <stdio.h>
int main(void)
{
    unsigned long long pfn = 0;
    void *tlb = mempath_tlb_new("star", "sets=16 ways=8 latency=10");
    for (int i = 0; i < 2; i++) {
        int hit = mempath_tlb_lookup(tlb, 1, 0x10, &pfn, NULL);
        printf("%s %llu\n", hit ? "hit" : "miss", pfn);
        mempath_tlb_insert(tlb, 1, 0x10, 7, NULL, NULL, NULL);
    }
    return mempath_destroy(tlb);
}
C
library=$(dirname "$(find "$usr" -name mempath-models.pc)")
export PKG_CONFIG_PATH="$library" LD_LIBRARY_PATH="${library%/pkgconfig}"
does '^[0-9][0-9.]*$' pkg-config --modversion mempath-models
# shellcheck disable=SC2046 # words
does '' cc tlb.c -o tlb $(pkg-config --cflags --libs mempath-models)
does 'hit 7' ./tlb
[ "$(head -n 1 "$work/out")" = 'miss 0' ] || wrong 'the TLB answers otherwise'
readelf -d tlb | grep -q 'NEEDED.*libmempath-models.so.0' || wrong 'the library has no version'
[ -e "$usr/include/mempath/mempath_dpi.svh" ] || wrong 'no package for SystemVerilog'
unset LD_LIBRARY_PATH

# A design and a module of the user's.
does 'Build and test it' mempath plugin new tlb_policy mine
# shellcheck disable=SC2046 # words
does '' cc -fPIC -shared mine/mine.c -o mine.so $(pkg-config --cflags mempath-plugin)
does '^mine.every ' "$(pkg-config --variable=program mempath-plugin)" params mine --plugin mine.so

does 'Build and test it' mempath plugin new module slow
# shellcheck disable=SC2046 # words
does '' c++ -std=c++17 -fPIC -shared slow/slow.cpp -o slow.so $(pkg-config --cflags --libs mempath-plugin systemc)
does '^passed: slow: ' sh slow/test.sh slow.so

# A program with the platform in it, from the documents.
does '' cmake -S "$usr/share/doc/mempath/examples/traffic" -B traffic -DCMAKE_PREFIX_PATH="$usr"
does '' cmake --build traffic
does ' 0 wrong$' env LD_LIBRARY_PATH="${library%/pkgconfig}" traffic/traffic \
    "$usr/share/doc/mempath/examples/traffic/traffic.yaml" mempath.db 20

# The manual page and completion.
gzip -t "$usr/share/man/man1/mempath.1.gz" || wrong 'the manual page is not compressed'
does '^MEMPATH(1)' env LC_ALL=C.UTF-8 man -l --warnings=w "$usr/share/man/man1/mempath.1.gz"
[ ! -s "$work/err" ] || wrong 'the formatter warns'
if command -v mandoc >/dev/null; then does '' mandoc -T lint "$usr/share/man/man1/mempath.1.gz"; fi
cat >complete.bash <<'BASH'
. "$1"
complete -p mempath
COMP_WORDS=(mempath repro) COMP_CWORD=1
_mempath
printf '%s\n' "${COMPREPLY[@]}"
BASH
does '^reproduce$' bash complete.bash "$usr/share/bash-completion/completions/mempath"

# Nothing was written except here and to the cache.
[ -z "$(find "$work/home" "$work/tmp" -mindepth 1)" ] || wrong "files are left: $(find "$work/home" "$work/tmp" -mindepth 1)"
[ "$(ls "$work/cache")" = mempath ] || wrong 'the cache has other folders than mempath'
[ -n "$(find "$work/cache/mempath/traces" -name '*.gwt.zst')" ] || wrong 'no traces in the cache'
echo passed
