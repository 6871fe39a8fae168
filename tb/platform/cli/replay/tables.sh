#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Page tables alone: responses worked out by hand, refusals, JSON. Frames of tables come from the top of 4 GB down.
. "$(dirname "$0")/../lib.sh"

# In session.txt: a stimulus, "->", its response.
session() {
    sed -n 's/ *->.*//p' session.txt >stimuli.txt
    sed -n 's/.*-> //p' session.txt >wanted.txt
    expect 0 replay tables "$@" stimuli.txt
    cmp -s wanted.txt "$work/out" || {
        diff wanted.txt "$work/out" >&2
        wrong "replay tables $*: not what was worked out by hand"
    }
}

# Level by level: bits 47:39, 38:30, 29:21 and 20:12 of the address, times 8. The second space has its own tables.
cat >session.txt <<'END'
M 0 0x40201000 0x200000 4096  -> 16384
W 0 0x40201010                -> 0x200010 4096 0xfffff000 0xffffe008 0xffffd008 0xffffc008
W 0 0x40202000                -> - 0xfffff000 0xffffe008 0xffffd008 0xffffc010
W 0 0x40000000                -> - 0xfffff000 0xffffe008 0xffffd000
M 0 0x40202000 0x7000 4096    -> 16384
W 0 0x40202fff                -> 0x7fff 4096 0xfffff000 0xffffe008 0xffffd008 0xffffc010
W 1 0x40202000                -> - 0xffffb000
M 1 0x8000000000 0 4096       -> 32768
W 1 0x8000000001              -> 0x1 4096 0xffffb008 0xffffa000 0xffff9000 0xffff8000
M 0 0x40201000 0x9000 4096    -> 32768
W 0 0x40201000                -> 0x9000 4096 0xfffff000 0xffffe008 0xffffd008 0xffffc008
U 0 0x40201fff                -> 0x9000 4096
U 0 0x40201000                -> -
W 0 0x40201000                -> - 0xfffff000 0xffffe008 0xffffd008 0xffffc008
END
session
session --policy radix --format x86-64
session --format sv48

# Leaves of three sizes; a region of 2 MB that has become empty takes another size.
cat >session.txt <<'END'
M 0 0x200000 0x400000 2097152  -> 12288
W 0 0x3fffff                   -> 0x5fffff 2097152 0xfffff000 0xffffe000 0xffffd008
M 0 0x10000 0x30000 65536      -> 16384
W 0 0x10001                    -> 0x30001 65536 0xfffff000 0xffffe000 0xffffd000 0xffffc008
U 0 0x10000                    -> 0x30000 65536
M 0 0x1000 0x2000 4096         -> 20480
W 0 0x1000                     -> 0x2000 4096 0xfffff000 0xffffe000 0xffffd000 0xffffb008
END
session --page mixed

# A read of a dual entry, of 16 B, counts once; pages of 4 KB are tried after those of 64 KB.
cat >session.txt <<'END'
M 0 0x200000 0x1000 4096      -> 20480
M 0 0x210000 0x10000 65536    -> 24576
W 0 0x200000                  -> 0x1000 4096 0xfffff000 0xffffe000 0xffffd000 0xffffc010 0xffffa000 0xffffb000
W 0 0x210000                  -> 0x10000 65536 0xfffff000 0xffffe000 0xffffd000 0xffffc010 0xffffa008
END
session --format nvidia-v2

# Lines of 128 B, each with two clusters of 8 pages: neighbours are in one line, whose address a hash gives.
printf 'M 0 0x40000000 0x200000 4096\nM 0 0x40007000 0x300000 4096\nW 0 0x40000000\nW 0 0x40007001\nW 1 0x40007000\n' >line.txt
expect 0 replay tables --policy hashed --set lines=32 line.txt
awk 'NR < 3 { bad += $0 != 4096 }
    NR == 3 { bad += $1 != "0x200000" || NF != 3; line = $3 }
    NR == 4 { bad += $1 != "0x300001" || NF != 3 || $3 != line }
    NR == 5 { bad += $1 != "-" || NF != 2 || $2 !~ /00$|80$/ }
    END { exit bad || NR != 5 }' "$work/out" || wrong 'hashed: pages of a cluster are not in one line'

printf 'W 0 0x1000\nM 0 0x1000 0x5000 4096\nW 0 0x1000\nU 0 0x1000\n' >some.txt
expect 0 replay tables --json some.txt
json "j ->> '$.policy'" radix
json "j ->> '$.page'" 4096
json "j -> '$.responses[0].reads'" '[4294963200]'
json "j ->> '$.responses[0].fault'" 1
json "j ->> '$.responses[1].table_bytes'" 16384
json "j ->> '$.responses[2].pa'" 20480
json "j ->> '$.responses[3].bytes'" 4096
expect 0 replay tables --help
says 'hashed'
says 'lines=16384 (32 to 4194304)'
says '  sv39: 4096, 2097152, 1073741824$'

bad() { # message, line of stimuli, options
    message=$1
    printf 'W 0 0\n%s\n' "$2" >bad.txt
    shift 2
    expect 2 replay tables "$@" bad.txt
    grep -q "bad.txt:2: $message" "$work/err" || wrong "the error does not say '$message'"
    [ "$(wc -l <"$work/out")" = 1 ] || wrong 'the response before the error is missing'
}
bad 'VA: not aligned to 4096 B' 'M 0 1 0 4096'
bad 'BYTES: no pages of 65536 B in format mempath; 4096' 'M 0 0 0 65536'
bad 'VA: 0x1000000000000 has more than the 48 bits of format mempath' 'W 0 0x1000000000000'
bad 'PA: 0x1000000000000 does not fit an entry of format mempath' 'M 0 0 0x1000000000000 4096'
bad "'X' is not a stimulus; M, U or W" 'X 0'
bad "ASID '8' is too large" 'W 8 0'
printf 'M 0 0 0 4096\nM 0 0x10000 0 65536\n' >two.txt
expect 2 replay tables --page mixed two.txt
grep -q 'two.txt:2: page 0x10000 of 65536 B is in a region that has pages of 4096 B' "$work/err" || wrong 'two sizes'
i=0
while [ $i -lt 600 ]; do
    printf 'M 0 0x%x 0 4096\n' $((i * 32768))
    i=$((i + 1))
done >full.txt
expect 2 replay tables --policy hashed --set lines=32 full.txt
grep -q 'full.txt:[0-9]*: page .* finds no room in the hashed page table of 32 lines' "$work/err" || wrong 'a full table'
refused "no policy 'none'" replay tables --policy none some.txt
refused "no format 'sv47'; did you mean 'sv48'?" replay tables --format sv47 some.txt
refused "no format with pages of '5'; 4096, 65536, 2097152 or mixed" replay tables --page 5 some.txt
refused 'format sv39 has its own sizes; without --page' replay tables --format sv39 --page 4096 some.txt
refused "hashed has entries of mempath's format with pages of one size, not of sv39" replay tables --policy hashed \
    --format sv39 some.txt
refused 'hashed has no such parameter; lines, probes' replay tables --policy hashed --set sets=2 some.txt
refused 'no stimuli' replay tables
finished
