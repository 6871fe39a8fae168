#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The bandwidth of loaded machines, compared with the arithmetic of data sheets: the peak, what refreshes take of it, and
# what random lines reach.
. "$(dirname "$0")/../lib.sh"

of_peak() { # pattern, least and most per cent
    json "(SELECT value ->> 'of_peak' BETWEEN $2 / 100.0 AND $3 / 100.0 FROM json_each(j, '\$.patterns')
        WHERE value ->> 'pattern' = '$1')" 1
}

# The sheets: 2039 and 3352 GB/s. A refresh of all banks takes (tRFC + tRP + tRCD) / tREFI: 458 of 6213 and 376 of 5106
# cycles, 7.4 % each. A refresh of one bank takes nothing while the others serve requests.
expect 0 chase a100-80g --bandwidth --json
json "round(j ->> 'peak_gb_s')" 2039.0
of_peak stream 90 93
of_peak random 90 93
expect 0 chase h100-sxm --bandwidth --json
json "round(j ->> 'peak_gb_s')" 3351.0
of_peak stream 88 93
of_peak random 90 95
for machine in a100-80g h100-sxm; do
    expect 0 chase $machine --bandwidth --json --set dram.refresh=bank
    of_peak stream 99.5 100.01
    of_peak random 99 100.01
done

# A bank group takes an access in tCCD_L, 4 ticks, of which its data need 2.
expect 0 chase a100-80g --bandwidth --json --set dram.refi=0 --set dram.groups=1
of_peak stream 49.9 50.01
of_peak random 49.9 50.01

# 56 channels of 5 cycles a line; and a memory without channels.
expect 0 chase star-a100-mig --bandwidth --json
json "round(j ->> 'peak_gb_s')" 1434.0
of_peak stream 97 100.01
expect 0 chase star-mgpusim --bandwidth
says 'an ideal memory, without a peak'
says '^stream  *[0-9]*  *-'
refused '--bandwidth: has no curves' chase --bandwidth --stride 128
finished
