#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds an image for the management core, from C, C++ or assembler: build.sh OUTPUT.elf SOURCE... [OPTION OF GCC...]
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
fail() {
    printf 'build.sh: %s\n' "$1" >&2
    exit 2
}
[ $# -ge 2 ] || fail 'no sources; build.sh OUTPUT.elf SOURCE... [OPTION OF GCC...]'
case $1 in
*.elf) ;;
*) fail "$1: the output comes first; build.sh OUTPUT.elf SOURCE... [OPTION OF GCC...]" ;;
esac
[ -f "$here/lib/libmempath-fw.a" ] || fail "$here: no lib/libmempath-fw.a; mempath firmware sdk DIR writes a whole folder"
command -v riscv64-unknown-elf-gcc >/dev/null ||
    fail 'no riscv64-unknown-elf-gcc; the Debian packages gcc-riscv64-unknown-elf and picolibc-riscv64-unknown-elf'
output=$1
shift
cxx= # no exceptions and no RTTI, whose library does not exist; constructors run before main
for source; do
    case $source in *.cc | *.cpp | *.cxx) cxx='-fno-exceptions -fno-rtti -fno-threadsafe-statics -Wl,--wrap=main' ;; esac
done
if [ -n "$cxx" ] && ! command -v riscv64-unknown-elf-g++ >/dev/null; then
    fail 'no riscv64-unknown-elf-g++; the Debian package gcc-riscv64-unknown-elf'
fi
# shellcheck disable=SC2086 # a list of options
exec riscv64-unknown-elf-gcc "@$here/lib/flags" "@$here/lib/link-flags" -I"$here/include" -T "$here/lib/link.ld" \
    $cxx -o "$output" "$@" -Wl,--start-group "$here/lib/libmempath-fw.a" -lc -Wl,--end-group
