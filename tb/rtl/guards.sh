#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A value of a parameter that the RTL's comments exclude ends the elaboration with a message that says what is allowed, in
# Verilator and in yosys. The values at the limit elaborate. $1 is rtl/, $2 Verilator.
set -u
rtl=$1 verilator=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work # yosys leaves a file there
export HOME
failed=0 checked=0

bad() {
    printf 'FAILED: %s\n' "$*" >&2
    [ ! -s "$work/out" ] || head -n 5 "$work/out" >&2
    failed=1
}

package_of() {
    case $1 in
    dws_* | walk_*) echo dws_pkg ;;
    star_*) echo star_pkg ;;
    mesc_tlb*) echo mesc_tlb_pkg ;;
    mesc_*) echo mesc_pkg ;;
    *) echo neidty_pkg ;;
    esac
}

elaborate_verilator() { # module, parameters NAME=VALUE
    module=$1 package=$(package_of "$1")
    shift
    # shellcheck disable=SC2046 # a list of words
    "$verilator" --lint-only -y "$rtl" --top-module "$module" $(printf ' -G%s' "$@") "$rtl/$package.sv" "$rtl/$module.sv" \
        >"$work/out" 2>&1
}

# yosys prints the message of each $error, and ends with it.
elaborate_yosys() {
    module=$1 package=$(package_of "$1")
    shift
    for parameter in "$@"; do
        printf 'chparam -set %s %s %s\n' "${parameter%=*}" "${parameter#*=}" "$module"
    done >"$work/parameters"
    {
        printf 'read_verilog -sv -DSYNTHESIS -I%s %s/%s.sv\n' "$rtl" "$rtl" "$package"
        for file in "$rtl"/*.sv; do
            case $file in *_pkg.sv) ;; *) printf 'read_verilog -sv -defer -DSYNTHESIS -I%s %s\n' "$rtl" "$file" ;; esac
        done
        # shellcheck disable=SC2016 # a name of yosys
        sed 's/ \([a-z_0-9]*\)$/ $abstract\\\1/' "$work/parameters"
        printf 'hierarchy -check -top %s\n' "$module"
    } >"$work/script.ys"
    yosys -q -s "$work/script.ys" >"$work/out" 2>&1
}

# MODULE, PARAMETER=VALUE and others, |, what is said
while read -r module rest; do
    case $module in '' | '#'*) continue ;; esac
    parameters=${rest%% |*} message=${rest#*| }
    for tool in verilator yosys; do
        checked=$((checked + 1)) code=0
        # shellcheck disable=SC2086 # a list of words
        case $tool in
        verilator) elaborate_verilator "$module" $parameters ;;
        yosys) elaborate_yosys "$module" $parameters ;;
        esac || code=$?
        case $message,$code,$tool in
        ok,*,*) [ "$code" = 0 ] || bad "$module $parameters does not elaborate in $tool" ;;
        *,0,*) bad "$module $parameters elaborates in $tool" ;;
        # yosys may meet a width of 0 first.
        *) grep -qF -- "$message" "$work/out" || { [ $tool = yosys ] && grep -q 'zero or negative size' "$work/out"; } ||
            bad "$tool, $module $parameters: does not say '$message'" ;;
        esac
    done
    printf '%s\n' "$message" >>"$work/said"
done <<'END'
star_tlb MODE=3 | MODE is 0, 1 or 2
star_tlb SETS=100 | SETS is a power of two, 2 or more
star_tlb SETS=1 | SETS is a power of two, 2 or more
star_tlb WAYS=6 | WAYS is a power of two, 2 or more
star_tlb WAYS=1 | WAYS is a power of two, 2 or more
star_tlb MODE=0 SUB_ENTRIES=12 | SUB_ENTRIES is 2, 4, 8 or 16
star_tlb MODE=0 SUB_ENTRIES=1 | SUB_ENTRIES is 2, 4, 8 or 16
star_tlb MODE=0 SUB_ENTRIES=32 | SUB_ENTRIES is 2, 4, 8 or 16
star_tlb MODE=1 SUB_ENTRIES=8 | SUB_ENTRIES is 16 where bases share (MODE 1, 2)
star_tlb MODE=2 SUB_ENTRIES=8 | SUB_ENTRIES is 16 where bases share (MODE 1, 2)
star_tlb MODE=0 SETS=2 WAYS=2 SUB_ENTRIES=2 | ok
star_tlb MODE=2 SETS=2 WAYS=2 | ok
star_tlb_set MODE=3 | MODE is 0, 1 or 2
star_tlb_set WAYS=12 | WAYS is a power of two, 2 or more
star_tlb_set MODE=0 SUB_ENTRIES=12 | SUB_ENTRIES is 2, 4, 8 or 16
star_entry MODE=3 | MODE is 0, 1 or 2
star_entry MODE=1 SUB_ENTRIES=8 | SUB_ENTRIES is 16 where bases share (MODE 1, 2)
star_reform MODE=0 | MODE is 1 or 2
star_reform MODE=3 | MODE is 1 or 2
star_choice WAYS=6 | WAYS is a power of two, 2 or more
star_choice WAYS=1 | WAYS is a power of two, 2 or more
star_choice WAYS=2 | ok
lru_order WAYS=1 | WAYS is 2 or more
lru_order WAYS=2 | ok
sram DEPTH=1 | DEPTH is 2 or more
sram DEPTH=2 LANES=1 WIDTH=1 | ok
dws_scheduler WALKERS=1 | WALKERS is 2 or more
dws_scheduler DEPTH=0 | DEPTH is 1 or more
dws_scheduler TENANTS=1 | TENANTS is 2 or more
dws_scheduler WALKERS=64 DEPTH=64 | WALKERS * DEPTH is 4095 at most
dws_scheduler EPOCH_W=13 | EPOCH_W is 1 to 12
dws_scheduler EPOCH_W=0 | EPOCH_W is 1 to 12
dws_scheduler WALKERS=2 DEPTH=2 EPOCH_W=12 | ok
dws_scheduler WALKERS=3 DEPTH=1 TENANTS=3 EPOCH_W=1 | ok
dws_arbiter WALKERS=1 | WALKERS is 2 or more
dws_arbiter DEPTH=0 | DEPTH is 1 or more
dws_arbiter TENANTS=1 | TENANTS is 2 or more
dws_arbiter WALKERS=16 DEPTH=256 | WALKERS * DEPTH is 4095 at most
dws_arbiter EPOCH_W=13 | EPOCH_W is 1 to 12
walk_queues WALKERS=1 | WALKERS is 2 or more
walk_queues DEPTH=0 | DEPTH is 1 or more
walk_queues WALKERS=2 DEPTH=1 WIDTH=1 | ok
neidty_directory ENTRIES=1 | ENTRIES is 2 or more
neidty_directory TAG_W=0 | TAG_W is 1 or more
neidty_directory ENTRIES=2 TAG_W=1 | ok
neidty_tag TAG_W=0 | TAG_W is 1 or more
l1_tlb ENTRIES=1 | ENTRIES is 2 or more
l1_tlb ENTRIES=2 FRAME_W=1 | ok
mesc_scan PAGES=48 | PAGES is a power of two, 2 to 64
mesc_scan PAGES=1 | PAGES is a power of two, 2 to 64
mesc_scan PAGES=128 | PAGES is a power of two, 2 to 64
mesc_scan SUBREGIONS=6 | SUBREGIONS is a power of two, 2 to 8
mesc_scan SUBREGIONS=1 | SUBREGIONS is a power of two, 2 to 8
mesc_scan SUBREGIONS=16 | SUBREGIONS is a power of two, 2 to 8
mesc_scan HEADS_FIRST=2 | HEADS_FIRST is 0 or 1
mesc_scan PAGES=2 SUBREGIONS=2 HEADS_FIRST=1 | ok
mesc_tlb SETS=48 | SETS is a power of two, 2 or more
mesc_tlb SETS=1 | SETS is a power of two, 2 or more
mesc_tlb WAYS=1 SUB_WAYS=0 | WAYS is 2 or more
mesc_tlb SUB_WAYS=1 | SUB_WAYS is 0, or 2 to WAYS
mesc_tlb SUB_WAYS=17 | SUB_WAYS is 0, or 2 to WAYS
mesc_tlb VPN_W=14 | VPN_W is more than SET_W + 9
mesc_tlb PFN_W=8 | PFN_W is 9 or more
mesc_tlb SETS=2 WAYS=2 SUB_WAYS=0 | ok
mesc_tlb SETS=2 WAYS=3 SUB_WAYS=3 VPN_W=11 PFN_W=9 | ok
mesc_tlb_set WAYS=1 SUB_WAYS=0 | WAYS is 2 or more
mesc_tlb_set SUB_WAYS=1 | SUB_WAYS is 0, or 2 to WAYS
mesc_tlb_set SET_W=27 | VPN_W is more than SET_W + 9
mesc_tlb_set PFN_W=8 | PFN_W is 9 or more
END

# Each guard is in the table. The others check the paper's numbers of bits, which no parameter changes.
sed -n 's/.*[$]error("\(.*\)");.*/\1/p' "$rtl"/*.sv | grep -v ' bits' | sort -u >"$work/guards"
while read -r message; do
    grep -qxF -- "$message" "$work/said" || bad "no value of the table causes '$message'"
done <"$work/guards"
echo "$checked elaborations"
exit "$failed"
