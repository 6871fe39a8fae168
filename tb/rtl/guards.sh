#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A value of a parameter that the RTL's comments exclude ends the elaboration with a message that says what is allowed, in
# Verilator and in yosys. The values at the limit elaborate. Lines of the table may also be in guards.txt of a block's folder.
# $1 is rtl/, $2 Verilator.
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

# A module's folder, and the package of the folder; where it has none, the one of pages.
find_module() { # module
    path=$(echo "$rtl"/*/"$1.sv")
    room=$(basename "$(dirname "$path")")
    package=neidty/mp_neidty_pkg
    for file in "$rtl/$room"/*_pkg.sv; do
        [ ! -f "$file" ] || package=$room/$(basename "$file" .sv)
    done
}

elaborate_verilator() { # module, parameters NAME=VALUE
    module=$1
    find_module "$1"
    shift
    # shellcheck disable=SC2046 # a list of words
    "$verilator" --lint-only -y "$rtl/$room" -y "$rtl/common" --top-module "$module" $(printf ' -G%s' "$@") "$rtl/$package.sv" "$path" \
        >"$work/out" 2>&1
}

# yosys prints the message of each $error, and ends with it.
elaborate_yosys() {
    module=$1
    find_module "$1"
    shift
    for parameter in "$@"; do
        printf 'chparam -set %s %s %s\n' "${parameter%=*}" "${parameter#*=}" "$module"
    done >"$work/parameters"
    {
        printf 'read_verilog -sv -DSYNTHESIS -I%s %s/%s.sv\n' "$rtl/$room" "$rtl" "$package"
        printf '%s\n' "$rtl/$room"/*.sv "$rtl"/common/*.sv | sort -u | while read -r file; do
            case $file in *_pkg.sv) ;; *) printf 'read_verilog -sv -defer -DSYNTHESIS -I%s %s\n' "$rtl/$room" "$file" ;; esac
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
done <<END
mp_star_tlb MODE=3 | MODE is 0, 1 or 2
mp_star_tlb SETS=100 | SETS is a power of two, 2 or more
mp_star_tlb SETS=1 | SETS is a power of two, 2 or more
mp_star_tlb WAYS=6 | WAYS is a power of two, 2 or more
mp_star_tlb WAYS=1 | WAYS is a power of two, 2 or more
mp_star_tlb MODE=0 SUB_ENTRIES=12 | SUB_ENTRIES is 2, 4, 8 or 16
mp_star_tlb MODE=0 SUB_ENTRIES=1 | SUB_ENTRIES is 2, 4, 8 or 16
mp_star_tlb MODE=0 SUB_ENTRIES=32 | SUB_ENTRIES is 2, 4, 8 or 16
mp_star_tlb MODE=1 SUB_ENTRIES=8 | SUB_ENTRIES is 16 where bases share (MODE 1, 2)
mp_star_tlb MODE=2 SUB_ENTRIES=8 | SUB_ENTRIES is 16 where bases share (MODE 1, 2)
mp_star_tlb MODE=0 SETS=2 WAYS=2 SUB_ENTRIES=2 | ok
mp_star_tlb MODE=2 SETS=2 WAYS=2 | ok
mp_star_tlb_set MODE=3 | MODE is 0, 1 or 2
mp_star_tlb_set WAYS=12 | WAYS is a power of two, 2 or more
mp_star_tlb_set MODE=0 SUB_ENTRIES=12 | SUB_ENTRIES is 2, 4, 8 or 16
mp_star_entry MODE=3 | MODE is 0, 1 or 2
mp_star_entry MODE=1 SUB_ENTRIES=8 | SUB_ENTRIES is 16 where bases share (MODE 1, 2)
mp_star_reform MODE=0 | MODE is 1 or 2
mp_star_reform MODE=3 | MODE is 1 or 2
mp_least WAYS=6 | WAYS is a power of two, 2 or more
mp_least WAYS=1 | WAYS is a power of two, 2 or more
mp_least WAYS=2 | ok
mp_lru_order WAYS=1 | WAYS is 2 or more
mp_lru_order WAYS=2 | ok
mp_sram DEPTH=1 | DEPTH is 2 or more
mp_sram DEPTH=2 LANES=1 WIDTH=1 | ok
mp_dws_scheduler WALKERS=1 | WALKERS is 2 or more
mp_dws_scheduler DEPTH=0 | DEPTH is 1 or more
mp_dws_scheduler TENANTS=1 | TENANTS is 2 or more
mp_dws_scheduler WALKERS=64 DEPTH=64 | WALKERS * DEPTH is 4095 at most
mp_dws_scheduler EPOCH_W=13 | EPOCH_W is 1 to 12
mp_dws_scheduler EPOCH_W=0 | EPOCH_W is 1 to 12
mp_dws_scheduler WALKERS=2 DEPTH=2 EPOCH_W=12 | ok
mp_dws_scheduler WALKERS=3 DEPTH=1 TENANTS=3 EPOCH_W=1 | ok
mp_dws_arbiter WALKERS=1 | WALKERS is 2 or more
mp_dws_arbiter DEPTH=0 | DEPTH is 1 or more
mp_dws_arbiter TENANTS=1 | TENANTS is 2 or more
mp_dws_arbiter WALKERS=16 DEPTH=256 | WALKERS * DEPTH is 4095 at most
mp_dws_arbiter EPOCH_W=13 | EPOCH_W is 1 to 12
mp_walk_queues WALKERS=1 | WALKERS is 2 or more
mp_walk_queues DEPTH=0 | DEPTH is 1 or more
mp_walk_queues WALKERS=2 DEPTH=1 WIDTH=1 | ok
mp_neidty_directory ENTRIES=1 | ENTRIES is 2 or more
mp_neidty_directory TAG_W=0 | TAG_W is 1 or more
mp_neidty_directory ENTRIES=2 TAG_W=1 | ok
mp_neidty_tag TAG_W=0 | TAG_W is 1 or more
mp_l1_tlb ENTRIES=1 | ENTRIES is 2 or more
mp_l1_tlb ENTRIES=2 FRAME_W=1 | ok
mp_mesc_scan PAGES=48 | PAGES is a power of two, 2 to 64
mp_mesc_scan PAGES=1 | PAGES is a power of two, 2 to 64
mp_mesc_scan PAGES=128 | PAGES is a power of two, 2 to 64
mp_mesc_scan SUBREGIONS=6 | SUBREGIONS is a power of two, 2 to 8
mp_mesc_scan SUBREGIONS=1 | SUBREGIONS is a power of two, 2 to 8
mp_mesc_scan SUBREGIONS=16 | SUBREGIONS is a power of two, 2 to 8
mp_mesc_scan HEADS_FIRST=2 | HEADS_FIRST is 0 or 1
mp_mesc_scan PAGES=2 SUBREGIONS=2 HEADS_FIRST=1 | ok
mp_mesc_tlb SETS=48 | SETS is a power of two, 2 or more
mp_mesc_tlb SETS=1 | SETS is a power of two, 2 or more
mp_mesc_tlb WAYS=1 SUB_WAYS=0 | WAYS is 2 or more
mp_mesc_tlb SUB_WAYS=1 | SUB_WAYS is 0, or 2 to WAYS
mp_mesc_tlb SUB_WAYS=17 | SUB_WAYS is 0, or 2 to WAYS
mp_mesc_tlb VPN_W=14 | VPN_W is more than SET_W + 9
mp_mesc_tlb PFN_W=8 | PFN_W is 9 or more
mp_mesc_tlb SETS=2 WAYS=2 SUB_WAYS=0 | ok
mp_mesc_tlb SETS=2 WAYS=3 SUB_WAYS=3 VPN_W=11 PFN_W=9 | ok
mp_mesc_tlb_set WAYS=1 SUB_WAYS=0 | WAYS is 2 or more
mp_mesc_tlb_set SUB_WAYS=1 | SUB_WAYS is 0, or 2 to WAYS
mp_mesc_tlb_set SET_W=27 | VPN_W is more than SET_W + 9
mp_mesc_tlb_set PFN_W=8 | PFN_W is 9 or more
$(cat "$rtl"/*/guards.txt 2>/dev/null)
END

# Each guard is in the table. The others check the paper's numbers of bits, which no parameter changes.
sed -n 's/.*[$]error("\(.*\)");.*/\1/p' "$rtl"/*/*.sv | grep -v ' bits' | sort -u >"$work/guards"
while read -r message; do
    grep -qxF -- "$message" "$work/said" || bad "no value of the table causes '$message'"
done <"$work/guards"
echo "$checked elaborations"
exit "$failed"
