#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The example as a newcomer uses it: copied, built by its one command, run.
here=$(dirname "$(readlink -f "$0")")
. "$here/../../platform/cli/lib.sh"

MEMPATH=$(readlink -f "$here/../../..")
cp -r "$MEMPATH/sw/firmware/example" mine
export MEMPATH
mine/build || wrong 'the copy does not build'
expect 0 firmware run --elf mine/hello.elf
says '^hello from the management core, '
unset MEMPATH
if mine/build 2>err; then wrong 'it builds without mempath'; fi
grep -q '^build: .*: no mempath; MEMPATH=FOLDER' err || wrong "without MEMPATH: $(cat err)"
mkdir path
ln -s "$(command -v dirname)" "$(command -v readlink)" path
if PATH=$PWD/path /bin/sh "$here/../../../sw/firmware/example/build" 2>err; then wrong 'it builds without a compiler'; fi
grep -q 'the Debian packages gcc-riscv64-unknown-elf' err || wrong "without a compiler: $(cat err)"
"$here/../../../sw/firmware/example/build" "$work/original.elf" || wrong 'the example does not build where it is'
expect 0 firmware run original.elf
finished
