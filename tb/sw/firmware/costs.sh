#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the service of managed memory costs, in instructions of the core (image/costs.c), which are the same on every
# host. $2 is the folder of the images.
images=$(realpath "$2")
. "$(dirname "$0")/../../platform/cli/lib.sh"

expect 0 firmware run "$images/costs.elf" --set machine.page_bytes=4096
cp out costs

# at_most LIMIT PATTERN: the first number of the line.
at_most() {
    got=$(sed -n "s/^$2: \([0-9]*\) instructions.*/\1/p" costs)
    checks=$((checks + 1))
    [ "$got" ] && [ "$got" -le "$1" ] || wrong "$2: ${got:-no} instructions, more than $1"
}

# With room for what compilers do.
at_most 3000 'a fault, none'
at_most 3970 'a fault, tree'
at_most 285 'a further run'
at_most 25200 'a block, tree'
cat costs
finished
