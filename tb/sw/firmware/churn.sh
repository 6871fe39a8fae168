#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# 100,000 ranges of managed memory come and go while launches run (run_churn in image/managed.c, 40 a launch): no launch
# fails, all data is there, and nothing is used up.
# $2 is the folder of the images.
images=$(realpath "$2")
. "$(dirname "$0")/../../platform/cli/lib.sh"

expect 0 firmware run "$images/managed_churns.elf" --check --set machine.page_bytes=4096 --workload 0=MT:small
[ "$(grep -c '^space 0: done$' out)" = 2500 ] || wrong "not 2500 launches that are done"
[ "$(grep -c '^space 0: ' out)" = 2500 ] || wrong "a launch that is not done"
grep -q '^[0-9]* entries, ' out || wrong "it has not come to its end"
finished
