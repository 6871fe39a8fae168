/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations that are refused, each with its exact error line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../models/engine/names.h"
#include "config/config.h"
#include "sm/scheduler.h"
#include "tlb/policy.h"
#include "walk/scheduler/scheduler.h"

static const struct names names[] = {{"@walk_scheduler@", mp_walk_scheduler_designs, 0},
                                     {"@warp_scheduler@", mp_warp_scheduler_designs, 0},
                                     {"@l3_tlb.policy@", mp_tlb_policy_designs, 3},
                                     {0}};

struct refusal {
    const char *text, *override, *message;
};

#define COLOURED                                                                                             \
    "preset: fgpu-v100\nmachine: {page_bytes: 4096}\nvm: {frames: coloured, colours: 4}\ntenants:\n"

#define PAGES    "preset: star-a100-mig\ntenants:\n  - {app: VA, size: small, slices: 1, page_bytes: "
#define OF_PAGES "; a size such as 64 KiB, auto, or sizes of single buffers, too: 64 KiB,0=2 MiB"

#define MANAGED "tenants:\n  - {app: VA, size: small, slices: 1, managed: true"

static const struct refusal refusals[] = {
    {MANAGED "}\n", "machine.page_bytes=2097152",
     "--set machine.page_bytes=2097152: tenants.0.managed with machine.page_bytes = 2097152; 4096 or 65536"},
    {MANAGED "}\n", "sm.translate=after",
     "--set sm.translate=after: tenants.0.managed with sm.translate = after; before"},
    {MANAGED "}\nuvm:\n  migrate: counter\n", "vm.format=nvidia-v3",
     "--set vm.format=nvidia-v3: tenants.0.managed with vm.format = nvidia-v3; one whose entries have more "
     "than 40 address bits, if uvm.migrate is not first-touch or uvm.thrashing is true"},
    {MANAGED "}\nuvm:\n  thrashing: true\n", "vm.format=nvidia-v3",
     "--set vm.format=nvidia-v3: tenants.0.managed with vm.format = nvidia-v3; one whose entries have more "
     "than 40 address bits, if uvm.migrate is not first-touch or uvm.thrashing is true"},
    {MANAGED "}\nmachine:\n  page_bytes: 4096\nvm:\n  frames: coloured\n", NULL,
     "f.yaml:6: tenants.0.managed with vm.frames = coloured; ascending or buddy"},
    {MANAGED
     "}\nmachine:\n  page_bytes: 4096\nvm:\n  table: hashed\nwalk:\n  method: probe\n  pwc_entries: 0\n",
     NULL, "f.yaml:6: tenants.0.managed with vm.table = hashed; radix"},
    {MANAGED ", page_bytes: 2 MiB}\n", NULL,
     "f.yaml:2: tenants.0.managed with tenants.0.page_bytes = 2097152; machine.page_bytes = 65536"},
    {"tenants:\n  - {app: external, slices: 1, managed: true}\n", NULL,
     "f.yaml:2: tenants.0.managed of an external tenant, which allocates nothing; false"},
    {"tenants:\n  - {app: VA, size: small, slices: 1, managed: maybe}\n", NULL,
     "f.yaml:2: tenants.0.managed = 'maybe' is neither true nor false; true or false"},
    {"preset: dws-30sm\nuvm:\n  chunks: 1\ntenants:\n  - {app: VA, size: small, managed: true}\n  - {app: "
     "VA, size: "
     "small, managed: true}\n",
     NULL, "f.yaml:3: uvm.chunks = 1 for 2 managed tenants that share them; 0, or 2 at least"},
    {"smm:\n  warps: 3\n", NULL, "f.yaml:1: unknown section smm; nearest is sm"},
    {"sm:\n  warpz: 3\n", NULL, "f.yaml:2: unknown key sm.warpz; nearest is sm.warps"},
    {"machine:\n  warps: 3\n", NULL, "f.yaml:2: unknown key machine.warps; nearest is sm.warps"},
    {"warps: 3\n", NULL, "f.yaml:1: unknown key warps; nearest is sm.warps"},
    {"sm.warps: 3\n", NULL,
     "f.yaml:1: sm.warps is not a key of a file; write its section as a mapping, with the parameter indented "
     "below"},
    {"seeed: 3\n", NULL, "f.yaml:1: unknown key seeed; nearest is seed"},
    {"? [a]\n: b\n", NULL, "f.yaml:1: a key that is a list or a mapping; keys are names"},
    {"sm: 5\n", NULL, "f.yaml:1: sm is not a mapping; a section with its parameters below it, indented"},
    {"sm:\n", NULL, "f.yaml:1: sm is not a mapping; a section with its parameters below it, indented"},
    {"sm:\n  warps: [1]\n", NULL, "f.yaml:2: sm.warps is a list; a single value, 1 to 64 (warps)"},
    {"sm:\n  warps: {a: 1}\n", NULL, "f.yaml:2: sm.warps is a mapping; a single value, 1 to 64 (warps)"},
    {"preset: [a]\n", NULL, "f.yaml:1: preset is a list; a single value, text"},
    {"- a\n", NULL, "f.yaml:1: the file is not a mapping; 'key: value' lines"},
    {COLOURED "  - {app: VA, size: small, colours: 3}\n  - {app: VA, size: small, colours: 2}\n", NULL,
     "f.yaml:6: tenants ask for 5 colours of vm.colours = 4; 4 in all at most"},
    {COLOURED "  - {app: VA, size: small, colours: 3}\n  - {app: VA, size: small}\n", NULL,
     "f.yaml:5: 1 of 2 tenants have colours; all or none"},
    {COLOURED "  - {app: VA, size: small, colours: red}\n", NULL,
     "f.yaml:5: tenants.0.colours = 'red' is not a whole number; colours of pages, with vm.frames = "
     "coloured"},
    {COLOURED "  - {app: VA, size: small, colours: 1}\n", "vm.frames=ascending",
     "f.yaml:5: tenants have colours, and vm.frames = ascending gives pages none; coloured"},
    {COLOURED "  - {app: VA, size: small, page_bytes: auto}\n", NULL,
     "f.yaml:5: tenants.0.page_bytes = auto with vm.frames = coloured, which has one size; 4096"},
    {PAGES "4096}\n", NULL,
     "f.yaml:3: tenants.0.page_bytes = 4096: no pages of 4096 B; with machine.page_bytes = 65536, which is "
     "the "
     "least, 65536 or 2097152 or auto"},
    {PAGES "'auto,3=128 KiB'}\n", NULL,
     "f.yaml:3: tenants.0.page_bytes = auto,3=131072: no pages of 131072 B; with machine.page_bytes = 65536, "
     "which is the least, 65536 or 2097152 or auto"},
    {PAGES "2 MiB}\n", "stats.sharing=true",
     "f.yaml:3: tenants.0.page_bytes = 2097152 with stats.sharing = true, for which pages have one size; "
     "65536"},
    {PAGES "2 MiB}\n", "neighbours.policy=direct",
     "f.yaml:3: tenants.0.page_bytes = 2097152 with neighbours.policy, for which pages have one size; 65536"},
    {PAGES "large}\n", NULL, "f.yaml:3: tenants.0.page_bytes = 'large' is not a whole number" OF_PAGES},
    {PAGES "3}\n", NULL,
     "f.yaml:3: tenants.0.page_bytes = '3' has a size that is not a power of two" OF_PAGES},
    {PAGES "0}\n", NULL, "f.yaml:3: tenants.0.page_bytes = '0' is too small" OF_PAGES},
    {PAGES "'auto,'}\n", NULL, "f.yaml:3: tenants.0.page_bytes = 'auto,' is not a whole number" OF_PAGES},
    {PAGES "'a=auto'}\n", NULL,
     "f.yaml:3: tenants.0.page_bytes = 'a=auto' has no buffer's number before '='" OF_PAGES},
    {PAGES "'auto,2 MiB'}\n", NULL,
     "f.yaml:3: tenants.0.page_bytes = 'auto,2 MiB' has two sizes for all other buffers" OF_PAGES},
    {PAGES "'0=auto,1=auto,2=auto,3=auto,4=auto,5=auto,6=auto,7=auto,8=auto'}\n",
     "tenants.0.page_bytes=0=1,1=1,2=1,3=1,4=1,5=1,6=1,7=1,8=1,9=1,10=1,11=1,12=1,13=1,14=1,15=1,16=1",
     "--set tenants.0.page_bytes=0=1,1=1,2=1,3=1,4=1,5=1,6=1,7=1,8=1,9=1,10=1,11=1,12=1,13=1,14=1,15=1,16=1: "
     "tenants.0.page_bytes = '0=1,1=1,2=1,3=1,4=1,5=1,6=1,7=1,8=1,9=1,10=1,11=1,12=1,13=1,' names more than "
     "16 "
     "buffers" OF_PAGES},
    {"tenants: 3\n", NULL,
     "f.yaml:1: tenants is not a list; a list with '- {app: NAME, size: NAME, slices: N}' for each"},
    {"tenants:\n  - MT\n", NULL,
     "f.yaml:2: tenants.0 is not a mapping; app, size, input, trace, page_bytes, slices, sms and "
     "colours"},
    {"tenants:\n  - {app: [MT]}\n", NULL, "f.yaml:2: tenants.0.app is a list; a single value, text"},
    {"tenants:\n  - {apq: MT}\n", NULL, "f.yaml:2: unknown key tenants.0.apq; nearest is tenants.0.app"},
    {"tenants: [{}, {}, {}, {},\n  {}, {}, {}, {}, {}]\n", NULL, "f.yaml:2: more than 8 tenants; 1 to 8"},
    {"sm:\n  warps: many\n", NULL, "f.yaml:2: sm.warps = 'many' is not a whole number; 1 to 64 (warps)"},
    {"sm:\n  warps:\n", NULL, "f.yaml:2: sm.warps = '' is not a whole number; 1 to 64 (warps)"},
    {"sm:\n  warps: 1.5\n", NULL, "f.yaml:2: sm.warps = '1.5' is not a whole number; 1 to 64 (warps)"},
    {"sm:\n  warps: 3 KiB\n", NULL, "f.yaml:2: sm.warps = '3 KiB' is not a whole number; 1 to 64 (warps)"},
    {"l1d:\n  bytes: 64 KB\n", NULL,
     "f.yaml:2: l1d.bytes = '64 KB' is not a whole number; 1024 to 1048576 (B; KiB, MiB, GiB)"},
    {"sm:\n  warps: 65\n", NULL, "f.yaml:2: sm.warps = '65' is too large; 1 to 64 (warps)"},
    {"sm:\n  warps: -3\n", NULL, "f.yaml:2: sm.warps = '-3' is negative; 1 to 64 (warps)"},
    {"sm:\n  warps: 99999999999999999999\n", NULL,
     "f.yaml:2: sm.warps = '99999999999999999999' is too large; 1 to 64 (warps)"},
    {"machine:\n  memory_per_slice: 99999999999 GiB\n", NULL,
     "f.yaml:2: machine.memory_per_slice = '99999999999 GiB' is too large; 16777216 to 68719476736 (B; "
     "KiB, MiB, GiB)"},
    {"sm:\n  scheduler: rr\n", NULL, "f.yaml:2: sm.scheduler = 'rr' is no choice; @warp_scheduler@"},
    {"sm:\n  lanes: 48\n", NULL, "f.yaml:2: sm.lanes = 48 is impossible; 32 or 64"},
    {"sm:\n  translate: late\n", NULL, "f.yaml:2: sm.translate = 'late' is no choice; before or after"},
    {"l3_tlb:\n  mshr_full: wait\n", NULL, "f.yaml:2: l3_tlb.mshr_full = 'wait' is no choice; hold or block"},
    {"dram:\n  model: perfect\n", NULL, "f.yaml:2: dram.model = 'perfect' is no choice; banks, ideal or hbm"},
    {"dram:\n  latency: 0\n", NULL, "f.yaml:2: dram.latency = '0' is too small; 1 to 10000 (cycles)"},
    {"walk:\n  memory: 0\n", NULL, "f.yaml:2: walk.memory = '0' is no choice; fixed, cached, flat or dram"},
    {"seed: 99999999999999999999\n", NULL,
     "f.yaml:1: seed = '99999999999999999999' is too large; 0 to 18446744073709551615"},
    {"l1d:\n  bytes: -64 KiB\n", NULL,
     "f.yaml:2: l1d.bytes = '-64 KiB' is negative; 1024 to 1048576 (B; KiB, MiB, GiB)"},
    {"l1d:\n  bytes: KiB\n", NULL,
     "f.yaml:2: l1d.bytes = 'KiB' is not a whole number; 1024 to 1048576 (B; KiB, MiB, GiB)"},
    {"tenants:\n  - {slices: -2}\n", NULL,
     "f.yaml:2: tenants.0.slices = '-2' is negative; 1, 2, 3, 4 or 7 (GPC slices)"},
    {"seed: x\n", NULL, "f.yaml:1: seed = 'x' is not a whole number; 0 to 18446744073709551615"},
    {"sm:\n  warps: 3\n  ctas: 1\n  warps: 4\n", NULL,
     "f.yaml:4: sm.warps is repeated; each key once (first in line 2)"},
    {"seed: 1\nseed: 1\n", NULL, "f.yaml:2: seed is repeated; each key once (first in line 1)"},
    {"sm: {warps: 3}\nl1d: {ways: 2}\nsm: {ctas: 1}\n", NULL,
     "f.yaml:3: sm is repeated; each key once (first in line 1)"},
    {"seed: &a 3\nsm: {warps: *a}\n", NULL, "f.yaml:2: an alias (*name); write the value"},
    {"a: 1\n---\nb: 2\n", NULL, "f.yaml:2: a second document; one document is allowed"},
    {"sm: [\n", NULL,
     "f.yaml:2: not YAML (did not find expected node content); 'key: value' lines, sections indented"},
    {"sm:\n\twarps: 3\n", NULL,
     "f.yaml:2: not YAML (found character that cannot start any token); 'key: value' lines, sections "
     "indented"},
    {"a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}\n", NULL,
     "f.yaml:1: nested too deeply; sections and tenants are two levels deep"},
    {"seed: \"\\x01\"\n", NULL, "f.yaml:1: seed = '?' is not a whole number; 0 to 18446744073709551615"},
    {"description: \"\\x01\"\n", NULL,
     "f.yaml:1: description holds a byte 0x01 that is not printable UTF-8; UTF-8 text"},
    {"description: \001\n", NULL,
     "f.yaml:1: not YAML (control characters are not allowed); 'key: value' lines, sections indented"},
    {"l2_tlb:\n  ways: 3\n", NULL,
     "f.yaml:2: l2_tlb.entries = 128 gives no whole number of sets with l2_tlb.ways = 3; 3 times a whole "
     "number: 126 or 129"},
    {"l2_tlb:\n  entries: 4\n", NULL,
     "f.yaml:2: l2_tlb.entries = 4 gives no whole number of sets with l2_tlb.ways = 8; 8 times a whole "
     "number: 8"},
    {"l1_tlb:\n  ways: 32\n", NULL,
     "f.yaml:2: l1_tlb.entries = 16 gives no whole number of sets with l1_tlb.ways = 32; 32 times a whole "
     "number: 32"},
    {"l3_tlb:\n  sub_entries: 3\n", NULL, "f.yaml:2: l3_tlb.sub_entries = 3 is impossible; 1, 2, 4, 8 or 16"},
    {"l3_tlb:\n  stride: 3\n", NULL,
     "f.yaml:2: l3_tlb.stride = '3' is not a power of two; 1 to 4, a power of two (sub-entries)"},
    {"l3_tlb:\n  pipeline: none\n", NULL,
     "f.yaml:2: l3_tlb.pipeline = none with l3_tlb.lookups = 0, no limit; l3_tlb.lookups of 1 at least, or "
     "l3_tlb.pipeline = all"},
    {"l2_tlb:\n  pipeline: first\n  lookups: 2\n", "l2_tlb.lookups=0",
     "--set l2_tlb.lookups=0: l2_tlb.pipeline = first with l2_tlb.lookups = 0, no limit; l2_tlb.lookups of 1 "
     "at "
     "least, or l2_tlb.pipeline = all"},
    {"l3_tlb:\n  policy: stars\n", NULL, "f.yaml:2: l3_tlb.policy = 'stars' is no choice; @l3_tlb.policy@"},
    {"l3_tlb:\n  policy: star\n  sub_entries: 8\n", NULL,
     "f.yaml:3: l3_tlb.sub_entries: 8 are too few for star; 16 at least"},
    {"l3_tlb:\n  sub_entries: 1\n  policy: half-double-set\n", NULL,
     "f.yaml:3: l3_tlb.sub_entries: 1 are too few for half-double-set; 2 at least"},
    {"l3_tlb:\n  sub_entries: 8\n", "l3_tlb.policy=static-star",
     "--set l3_tlb.policy=static-star: l3_tlb.sub_entries: 8 are too few for static-star; 16 at least"},
    {"l3_tlb:\n  policy: star4\n  stride: 2\n", NULL,
     "f.yaml:3: l3_tlb.stride: 2 is too large for star4; 1 at most"},
    {"l3_tlb:\n  policy: half-double-way-seq\n  ways: 64\n", NULL,
     "f.yaml:3: l3_tlb.ways: 64 are too many for half-double-way-seq; 32 at most"},
    {"l3_tlb:\n  ways: 128\n", NULL, "f.yaml:2: l3_tlb.ways: 128 are too many for subentry; 64 at most"},
    {"vm:\n  frames: buddy\n", NULL, "f.yaml:2: vm.frames = buddy with machine.page_bytes = 65536; 4096"},
    {"vm:\n  format: sv48\n", NULL,
     "f.yaml:2: vm.format = sv48 with machine.page_bytes = 65536; 4096 or 2097152"},
    {"vm:\n  format: nvidia-v2\n  layout: head\n", "machine.page_bytes=4096",
     "f.yaml:3: vm.layout = head with vm.format = nvidia-v2; mempath"},
    {"vm:\n  format: nvidia-v3\nwalk:\n  method: optimistic\n", NULL,
     "f.yaml:4: walk.method: optimistic does not know entries of two halves, as format nvidia-v3 has them; "
     "on_return"},
    {"vm:\n  format: x86-64\nwalk:\n  method: thp\n", "machine.page_bytes=4096",
     "f.yaml:4: walk.method: thp needs contiguity bits, which format x86-64 does not have; vm.format = "
     "mempath"},
    {"vm:\n  table: hashed\n", NULL,
     "f.yaml:2: vm.table = hashed with walk.method = on_return, which reads trees of tables; probe"},
    {"vm:\n  table: hashed\n  format: nvidia-v2\nwalk:\n  method: probe\n", NULL,
     "f.yaml:2: vm.table: hashed has entries of mempath's format with pages of one size, not of nvidia-v2; "
     "vm.format = mempath"},
    {"vm:\n  table: hashed\n  layout: head\nwalk:\n  method: probe\n", "machine.page_bytes=4096",
     "f.yaml:3: vm.layout = head with vm.table = hashed; radix"},
    {"hashed:\n  lines: 100\n", NULL,
     "f.yaml:2: hashed.lines = '100' is not a power of two; 32 to 4194304, a power of two (lines)"},
    {"vm:\n  layout: head\n", NULL, "f.yaml:2: vm.layout = head with machine.page_bytes = 65536; 4096"},
    {"l3_tlb:\n  policy: static\n  ways: 1\ntenants:\n  - {app: MT, size: small, slices: 1}\n"
     "  - {app: MT, size: small, slices: 2}\n",
     NULL, "f.yaml:6: l3_tlb.ways: 1 are too few for 2 tenants under static; 2 at least"},
    {"", "mask.bypass=65", "--set mask.bypass=65: mask.bypass = '65' is too large; 1 to 64 (entries)"},
    {"", "mask.step=0", "--set mask.step=0: mask.step = '0' is too small; 1 to 100 (%)"},
    {"machine:\n  page_bytes: 8192\n", NULL,
     "f.yaml:2: machine.page_bytes = 8192 is impossible; 4096, 65536 or 2097152"},
    {"machine:\n  line_bytes: 96\n", NULL,
     "f.yaml:2: machine.line_bytes = 96 is not a power of two; 64 or 128"},
    {"machine:\n  memory_per_slice: 17 MiB\n", NULL,
     "f.yaml:2: machine.memory_per_slice = 17825792 is not a multiple of 2097152; 16777216 or 18874368"},
    {"walk:\n  pwc_entries: 100\n", NULL,
     "f.yaml:2: walk.pwc_entries = 100 is not a multiple of walk.pwc_ways = 8; 96 or 104"},
    {"l1d:\n  bytes: 48 KiB\n  ways: 5\n", NULL,
     "f.yaml:3: l1d.bytes = 49152 gives no whole number of sets with l1d.ways = 5, machine.line_bytes = 128; "
     "640 times a whole number: 48640 or 49280"},
    {"l2d:\n  banks_per_slice: 12\n", NULL,
     "f.yaml:2: l2d.bytes_per_slice = 2097152 gives no whole number of sets with l2d.banks_per_slice = 12, "
     "l2d.ways = 8, machine.line_bytes = 128; 12288 times a whole number: 2088960 or 2101248"},
    {"l1d:\n  mshrs: 65535\n", NULL, "f.yaml:2: l1d.mshrs = '65535' is too large; 1 to 65534 (MSHRs)"},
    {"l2d:\n  mshrs: 586\n", NULL,
     "f.yaml:2: l2d.mshrs = 586 makes 65632 MSHRs with l2d.banks_per_slice = 16 in a cache of 7 GPC "
     "slices; 65534, so 585 a bank at most"},
    {"l2d:\n  mshrs: 2048\n  per: machine\ntenants:\n  - {app: MT, size: small, slices: 1}\n", NULL,
     "f.yaml:5: l2d.mshrs = 2048 makes 229376 MSHRs with l2d.banks_per_slice = 16 in a cache of 7 GPC "
     "slices; 65534, so 585 a bank at most"},
    {"l2d:\n  mshrs: 2048\ntenants:\n  - {app: MT, size: small, slices: 1}\n"
     "  - {app: MT, size: small, slices: 2}\n",
     NULL,
     "f.yaml:5: l2d.mshrs = 2048 makes 65536 MSHRs with l2d.banks_per_slice = 16 in a cache of 2 GPC "
     "slices; 65534, so 2047 a bank at most"},
    {"machine:\n  memory_per_slice: 64 GiB\n  line_bytes: 32\n", NULL,
     "f.yaml:3: machine.memory_per_slice = 68719476736 with machine.slices = 7 makes 15032385536 lines of "
     "machine.line_bytes = 32; 4294967294 lines, so 19633537024 (B) a slice at most"},
    {"machine:\n  memory_per_slice: 64 GiB\n  slices: 2\n", "machine.line_bytes=32",
     "--set machine.line_bytes=32: machine.memory_per_slice = 68719476736 with machine.slices = 2 makes "
     "4294967296 lines of machine.line_bytes = 32; 4294967294 lines, so 68717379584 (B) a slice at most"},
    {"dram:\n  row_bytes: 300\n", NULL,
     "f.yaml:2: dram.row_bytes = 300 is not a multiple of machine.line_bytes = 128; 256 or 384"},
    {"tenants:\n  - {slices: 1}\n", NULL, "f.yaml:2: tenants.0 runs nothing; set app and size, or trace"},
    {"tenants:\n  - {slices: 1, app: external, size: small}\n", NULL,
     "f.yaml:2: tenants.0 has a size, which an external one does not use; app: external"},
    {"tenants:\n  - {slices: 1, app: external, trace: a.gwt}\n", NULL,
     "f.yaml:2: tenants.0 has both an app and a trace; keep one of them (tenants.0.app= clears it)"},
    {"tenants:\n  - {app: MT, size: small, trace: a.gwt, slices: 1}\n", NULL,
     "f.yaml:2: tenants.0 has both an app and a trace; keep one of them (tenants.0.app= clears it)"},
    {"tenants:\n  - app: MT\n    slices: 1\n", NULL,
     "f.yaml:2: tenants.0 has no size; small, medium, paper, star, star-s, mesc, neidty, fgpu or uvm"},
    {"tenants:\n  - {trace: a.gwt, size: small, slices: 1}\n", NULL,
     "f.yaml:2: tenants.0 has a trace, which has its size already; only trace and slices are allowed"},
    {"tenants:\n  - {trace: a.gwt, input: b, slices: 1}\n", NULL,
     "f.yaml:2: tenants.0 has a trace, which has its input already; only trace and slices are allowed"},
    {"tenants:\n  - app: MT\n    size: smal\n    slices: 1\n", NULL,
     "f.yaml:3: tenants.0.size = 'smal' is not a size; small, medium, paper, star, "
     "star-s, mesc, neidty, fgpu or uvm"},
    {"tenants:\n  - app: MT\n    size: small\n    slices: 5\n", NULL,
     "f.yaml:4: tenants.0.slices = 5 is not a MIG instance; 1, 2, 3, 4 or 7 (GPC slices)"},
    {"tenants:\n  - app: MT\n    size: small\n", NULL,
     "f.yaml:2: tenants.0 has no slices; 1, 2, 3, 4 or 7 (GPC slices)"},
    {"tenants:\n  - {app: MT, size: small, slices: two}\n", NULL,
     "f.yaml:2: tenants.0.slices = 'two' is not a whole number; 1, 2, 3, 4 or 7 (GPC slices)"},
    {"tenants:\n  - {app: MT, size: small, slices: 4}\n  - {app: MT, size: small, slices: 4}\n", NULL,
     "f.yaml:3: tenants ask for 8 slices of machine.slices = 7; 7 in all at most"},
    {"tenants:\n  - {app: MT, size: small, slices: 4}\n", "machine.slices=3",
     "--set machine.slices=3: tenants ask for 4 slices of machine.slices = 3; 3 in all at most"},
    {"tenants:\n  - {app: MT, size: small, slices: 4, sms: 14}\n", NULL,
     "f.yaml:2: tenants.0 asks for SMs, which MIG assigns by slices; use slices, or machine.sharing = mps"},
    {"tenants:\n  - {app: MT, size: small, sms: all}\n", NULL,
     "f.yaml:2: tenants.0.sms = 'all' is not a whole number; SMs, under machine.sharing = mps"},
    {"machine:\n  sharing: mps\ntenants:\n  - {app: MT, size: small, slices: 4}\n", NULL,
     "f.yaml:4: tenants.0 asks for slices, which machine.sharing = mps does not have; use sms, or nothing "
     "for an "
     "equal share"},
    {"machine:\n  sharing: threads\ntenants:\n  - {app: MT, size: small, sms: 99}\n", NULL,
     "f.yaml:4: tenants.0 gets the warps of 99 SMs under machine.sharing = threads; at most 98"},
    {"machine:\n  sharing: threads\ntenants:\n  - {app: MT, size: small, sms: 9}\n"
     "  - {app: MT, size: small}\n",
     NULL, "f.yaml:5: tenants.1 gets the warps of 49 SMs under machine.sharing = threads; as tenants.0, 9"},
    {"machine:\n  sharing: timeslice\ntenants:\n  - {app: MT, size: small, sms: 14}\n", NULL,
     "f.yaml:4: tenants.0 gets turns of 14 SMs under machine.sharing = timeslice; all 98"},
    {"machine:\n  sharing: mps\ntenants:\n  - {app: MT, size: small, sms: 7}\n", NULL,
     "f.yaml:4: tenants.0 gets 7 SMs; a multiple of machine.sms_per_tpc = 2"},
    {"machine:\n  sharing: mps\ntenants:\n  - {app: MT, size: small, sms: 98}\n  - {app: MT, size: small}\n",
     NULL, "f.yaml:5: tenants.1 gets 0 SMs; a multiple of machine.sms_per_tpc = 2"},
    {"machine:\n  sharing: mps\ntenants:\n  - {app: MT, size: small, sms: 100}\n", NULL,
     "f.yaml:4: tenants ask for 100 SMs of the machine's = 98; 98 in all at most"},
    {"", "sm.warps", "--set sm.warps: no 'path=value'; such as l2_tlb.entries=256"},
    {"", "=3", "--set =3: no 'path=value'; such as l2_tlb.entries=256"},
    {"", "sm.warpz=3", "--set sm.warpz=3: unknown parameter sm.warpz; nearest is sm.warps"},
    {"tenants:\n  - {app: \"M\\0T\"}\n", NULL,
     "f.yaml:2: a zero byte (\\0); text without zero bytes is allowed"},
    {"walk:\n  scheduler: dws\n  walkers_per_slice: 10\n", NULL,
     "f.yaml:3: walk.walkers_per_slice = 10: walkers: 70 are too many for dws; 64 at most"},
    {"walk:\n  queue: 4096\n  scheduler: dws++\n", NULL,
     "f.yaml:3: walk.queue: 4096 is too large for dws++; 4095 at most"},
    {"walk:\n  queue: 55\n  scheduler: static\n", NULL,
     "f.yaml:3: walk.queue: 55 is too small for 56 walkers under static, which each have a queue; 56 at "
     "least"},
    {"preset: dws-30sm\nwalk:\n  walkers_per_slice: 1\n  scheduler: dws\ntenants:\n  - {app: MT, size: "
     "small}\n  - {app: MT, size: small}\n",
     NULL,
     "f.yaml:4: walk.walkers_per_slice = 1: walkers: 1 are too few for 2 tenants under dws; 2 at least"},
    {"neighbours:\n  policy: ring\n  update: twice-entry\n", NULL,
     "f.yaml:3: neighbours.update: twice-entry needs a directory, which ring has not; default, exclusive or "
     "twice"},
    {"neighbours:\n  policy: neidty\nl1_tlb:\n  per: slice\n", NULL,
     "f.yaml:4: neighbours.policy = neidty in a ring of 1 L1 TLBs; 3 at least"},
    {"neighbours:\n  policy: neidty\nmachine:\n  tpcs_per_slice: 2\n", NULL,
     "f.yaml:4: neighbours.policy = neidty in a ring of 2 L1 TLBs; 3 at least"},
    {"neighbours:\n  policy: neidty\nl1_tlb:\n  per: none\n", NULL,
     "f.yaml:4: neighbours.policy = neidty needs L1 TLBs; l1_tlb.per = sm, tpc or slice"},
    {"neighbours:\n  policy: ring\n  topology: mesh\n", NULL,
     "f.yaml:3: neighbours.topology: ring asks the TLBs of a group, whatever the topology; ring"},
    {"machine:\n  sharing: mps\n  slices: 1\n  tpcs_per_slice: 5\nneighbours:\n  policy: direct\n",
     "neighbours.topology=two-rings",
     "--set neighbours.topology=two-rings: neighbours.policy = direct in a ring of 5 L1 TLBs; 6 at least"},
    {"l2d:\n  ports: bank\n", NULL, "f.yaml:2: l2d.ports = bank with machine.hash = spread; gtx1080 or v100"},
    {"machine:\n  short_slices: 7\n", NULL,
     "f.yaml:2: machine.short_slices = 7 of machine.slices = 7; 6 at most"},
    {"machine:\n  short_slices: 1\n  tpcs_per_slice: 2\nneighbours: {policy: ring}\nl1_tlb: {per: tpc}\n",
     NULL, "f.yaml:5: neighbours.policy = ring in a ring of 1 L1 TLBs; 3 at least"},
    {"machine:\n  memory_slices: 8\n", NULL,
     "f.yaml:2: machine.memory_slices = 8 with machine.sharing = mig; 0"},
    {"machine:\n  sharing: mps\n  slices: 2\n  short_slices: 2\n", NULL,
     "f.yaml:4: machine.short_slices = 2 of machine.slices = 2; 1 at most"},
    {"machine:\n  sharing: mps\n  short_slices: 2\n  tpcs_per_slice: 1\n", NULL,
     "f.yaml:4: machine.short_slices = 2 leaves slices without a TPC with machine.tpcs_per_slice = 1; 2 at "
     "least"},
    {"dram:\n  model: hbm\n", NULL,
     "f.yaml:2: dram.burst = 5 is not a multiple of dram.accesses = 4; 4 or 8"},
    {"dram:\n  model: hbm\n  burst: 8\n  refi: 300\n", NULL,
     "f.yaml:4: dram.rfc, dram.rp and dram.ras take 307 cycles of dram.refi = 300, which leaves no time for "
     "accesses; more than 307, or 0 for no refresh"},
    {"dram:\n  model: hbm\n  burst: 8\n  refi: 200\n  refresh: bank\n", NULL,
     "f.yaml:4: dram.rfcpb, dram.rp and dram.ras take 207 cycles of dram.refi = 200, which leaves no time "
     "for "
     "accesses; more than 207, or 0 for no refresh"},
    {"dram:\n  model: hbm\n  burst: 8\n  refi: 300\n  banks: 64\n  refresh: bank\n", NULL,
     "f.yaml:6: dram.rrefd of dram.banks takes 512 cycles of dram.refi = 300, which leaves no time for "
     "accesses; more than 512, or 0 for no refresh"},
    {"l2d:\n  bytes_per_slice: 6.2500001 MiB\n", NULL,
     "f.yaml:2: l2d.bytes_per_slice = '6.2500001 MiB' has more than six decimals; 4096 to 67108864 (B; KiB, "
     "MiB, GiB)"},
    {"l2d:\n  bytes_per_slice: 6.1 MiB\n", NULL,
     "f.yaml:2: l2d.bytes_per_slice = '6.1 MiB' is no whole number of bytes; 4096 to 67108864 (B; KiB, MiB, "
     "GiB)"},
    {"l1d:\n  loads: bypassed\nsm:\n  translate: after\n", NULL,
     "f.yaml:4: l1d.loads = bypassed with sm.translate = after; sm.translate = before"},
    {"sm: {translate: after}\nl1d: {fill_bytes: 32}\n", NULL,
     "f.yaml:2: l1d.fill_bytes = 32 with sm.translate = after; sm.translate = before"},
    {"l1d:\n  hash: machine\nsm:\n  translate: after\n", NULL,
     "f.yaml:4: l1d.hash = machine with sm.translate = after; sm.translate = before"},
    {"machine: {hash: v100}\nvm: {frames: coloured-user}\nsm: {translate: after}\n",
     "machine.page_bytes=2097152",
     "f.yaml:3: vm.frames = coloured-user with sm.translate = after; sm.translate = before"},
    {"l1d:\n  hash: machine\n", "machine.hash=v100",
     "--set machine.hash=v100: l1d.hash = machine with machine.hash = v100; spread or interleaved"},
    {"walk:\n  memory: flat\n", NULL,
     "f.yaml:2: walk.pwc_entries = 128 with walk.memory = flat, which uses none; 0"},
    {"walk:\n  scheduler: static\n  compat: hpca21\n", NULL,
     "f.yaml:3: walk.compat: hpca21 does not have static; use one of fcfs, dws, dws++, or compat paper"},
    {"preset: dws-30sm\nwalk:\n  scheduler: dws++\n  compat: hpca21\ntenants:\n  - {app: MT, size: small}\n"
     "  - {app: MT, size: small}\n  - {app: MT, size: small}\n",
     NULL, "f.yaml:4: walk.compat: hpca21 supports 2 tenants under dws++, not 3; use 2, or compat paper"},
    {"walk:\n  scheduler: dsw\n", NULL, "f.yaml:2: walk.scheduler = 'dsw' is no choice; @walk_scheduler@"},
    {"", "walk.pwc_entries=3",
     "--set walk.pwc_entries=3: walk.pwc_entries = 3 is not a multiple of walk.pwc_ways = 8; 8"},
    {"", "tlb.latency=3", "--set tlb.latency=3: unknown parameter tlb.latency; nearest is l1_tlb.latency"},
    {"", "sm.warps=0", "--set sm.warps=0: sm.warps = '0' is too small; 1 to 64 (warps)"},
    {"", "sm.scheduler=fifo",
     "--set sm.scheduler=fifo: sm.scheduler = 'fifo' is no choice; @warp_scheduler@"},
    {"", "preset=demo",
     "--set preset=demo: preset can only be set in a file; set a section.field or tenants.N.field"},
    {"", "tenants.1.app=MT", "--set tenants.1.app=MT: no tenant 1; 0 to 0"},
    {"", "tenants.9.app=MT", "--set tenants.9.app=MT: no tenant 9; 0 to 0"},
    {"", "tenants.size=small", "--set tenants.size=small: there are no tenants; start with tenants.0.size"},
    {"", "tenants.0=MT",
     "--set tenants.0=MT: no field after the tenant; tenants.0.app, .size, .input, .trace, .page_bytes, "
     ".slices, .sms, .colours or .managed"},
    {"", "tenants.0.name=MT",
     "--set tenants.0.name=MT: a tenant has no 'name'; app, size, input, trace, page_bytes, slices, sms, "
     "colours or managed"},
    {"", "tenants.app.0=MT",
     "--set tenants.app.0=MT: a tenant has no 'app.0'; app, size, input, trace, page_bytes, slices, sms, "
     "colours or managed"},
    {"", "description=a\200",
     "--set description=a\200: description holds a byte 0x80 that is not printable UTF-8; UTF-8 text"},
    {"", "seed=-1", "--set seed=-1: seed = '-1' is negative; 0 to 18446744073709551615"},
    {"", "l2_tlb.ways=7",
     "--set l2_tlb.ways=7: l2_tlb.entries = 128 gives no whole number of sets with l2_tlb.ways = 7; 7 times "
     "a whole number: 126 or 133"},
    {"", "sm.warps=a\nb", "--set sm.warps=a?b: sm.warps = 'a?b' is not a whole number; 1 to 64 (warps)"},
};

static void each_is_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const struct refusal *r = &refusals[i];
        struct mp_config config;
        struct mp_error err = {"(nothing)"};
        char wanted[sizeof err.text];
        int status = mp_config_load_text(&config, "f.yaml", r->text, strlen(r->text), r->override ? 1 : 0,
                                         &r->override, &err);
        if (status != -1)
            fail_msg("not refused: %s %s", r->text, r->override ? r->override : "");
        assert_string_equal(err.text, names_expand(r->message, names, wanted, sizeof wanted));
        assert_null(config.name);
        assert_int_equal(config.ntenants, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
