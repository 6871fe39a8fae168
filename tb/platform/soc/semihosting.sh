#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A program built for picolibc's semihosting runs as it is. $2 is the folder of the images.
images=$(realpath "$2")
. "$(dirname "$0")/../cli/lib.sh"

mkdir files
seq 200 | sed 's/$/ abc/' >files/in.txt
touch files/gone.txt outside
ln -s ../outside files/link
printf 'xyz\n' >keys
expect 1 firmware run "$images/semihosted.elf" --semihosting=files --input keys
says '^typed: x y z$'
says '^1492 bytes$'
grep -q 'failed with code 7' err || wrong "another end: $(tail -n 1 err)"
tr a-z A-Z <files/in.txt | cmp - files/out.txt || wrong 'the file is another'
[ ! -e files/gone.txt ] || wrong 'a file was not removed'

# Without files, without input, and without semihosting.
expect 1 firmware run "$images/semihosted.elf" --semihosting
grep -q 'the program waits for a character, and none will come' err || wrong "another end: $(tail -n 1 err)"
expect 1 firmware run "$images/semihosted.elf" --semihosting --input keys
says '^typed: x y z$'
says '^open: '
grep -q 'failed with code 2' err || wrong "another end: $(tail -n 1 err)"
expect 1 firmware run "$images/semihosted.elf" --max-instructions 1000000
refused 'a folder' firmware run "$images/semihosted.elf" --semihosting=outside
finished
