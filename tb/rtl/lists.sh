#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The file lists of rtl/: each is enough for its top, in Verilator and in yosys, as simulated and as synthesized, and
# without any one of its files it is not. So is each list of checks/, in Verilator. Bender.yml has all files once, and they are
# enough for every top. $1 is rtl/, $2 Verilator, $3 yosys or nothing.
set -u
rtl=$1 verilator=$2 yosys=${3:-}
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

lint() { # list, top, options
    list=$1 top=$2
    shift 2
    checked=$((checked + 1))
    "$verilator" --lint-only -Wall "$@" -F "$list" --top-module "$top" >"$work/out" 2>&1
}

elaborate() { # list, top
    checked=$((checked + 1))
    (cd "$(dirname "$1")" && sed '/^\/\/\|^+/d; s/^/read_verilog -sv -DSYNTHESIS /' "$1" &&
        echo "hierarchy -check -top $2") >"$work/script.ys"
    (cd "$(dirname "$1")" && "$yosys" -q -s "$work/script.ys") >"$work/out" 2>&1
}

# A list alone: a folder with its files, and with those that are included, but without the others.
alone() { # list, its folder in rtl/
    rm -rf "$work/alone"
    mkdir -p "$work/alone/checks"
    cp "$rtl"/*.svh "$work/alone"
    cp "$rtl"/checks/*.svh "$work/alone/checks"
    cp "$1" "$work/alone/$2"
    sed '/^\/\/\|^+/d' "$1" | while read -r file; do
        cp "$rtl/$2/$file" "$work/alone/$2/$file" || exit 1
    done
}

# Without any one of its files the list is not enough. A parameter may need a file that the default does not.
superfluous() { # list, its folder in rtl/, top, parameters
    list=$1 folder=$2 top=$3
    shift 3
    sed '/^\/\/\|^+/d' "$list" | while read -r file; do
        grep -vxF "$file" "$list" >"$work/alone/$folder/less.f"
        mv "$work/alone/$folder/$file" "$work/taken"
        for parameter in "$@"; do
            if lint "$work/alone/$folder/less.f" "$top" "$parameter"; then echo enough; else echo missing; fi
        done | grep -q missing || echo "$file"
        mv "$work/taken" "$work/alone/$folder/$file"
    done >"$work/superfluous"
    [ ! -s "$work/superfluous" ] || bad "$list has what it does not need: $(tr '\n' ' ' <"$work/superfluous")"
}

tops_of() { sed -n '2s/^.*the top is \([a-z0-9_]*\), or \([a-z0-9_]*\) .*/\1 \2/p' "$1"; }

for list in "$rtl"/*.f; do
    name=$(basename "$list" .f) tops=$(tops_of "$list")
    alone "$list" . || { bad "$name.f: no such file"; continue; }
    copy=$work/alone/$name.f
    for top in ${tops:-$name}; do
        lint "$copy" "$top" || bad "$name.f is not enough for $top"
        lint "$copy" "$top" -DSYNTHESIS || bad "$name.f is not enough for the synthesis of $top"
        [ -z "$yosys" ] || elaborate "$copy" "$top" || bad "$name.f is not enough for $top in yosys"
    done
    case $name in
    star_tlb) superfluous "$list" . "$name" -GMODE=0 -GMODE=1 ;;
    *) superfluous "$list" . "$name" -DMODE ;;
    esac
done

for list in "$rtl"/checks/*.f; do
    name=$(basename "$list" .f)
    alone "$list" checks || { bad "checks/$name.f: no such file"; continue; }
    lint "$work/alone/checks/$name.f" "${name}_checks" || bad "checks/$name.f is not enough"
    superfluous "$list" checks "${name}_checks" -DMODE
done

sed -n 's/^ *- \([a-z0-9_/]*\.sv\)$/\1/p' "$rtl/Bender.yml" >"$work/bender"
(cd "$rtl" && ls -- *.sv checks/*.sv) | sort >"$work/all"
sort "$work/bender" | cmp -s - "$work/all" || bad "Bender.yml: not the files of rtl/: $(sort "$work/bender" | comm -3 - "$work/all" | xargs)"
{
    sed '/^\/\/\|^+/d' "$rtl"/*.f
    sed '/^\/\/\|^[+.]/d; s/^/checks\//' "$rtl"/checks/*.f
} | sort -u | cmp -s - "$work/all" || bad 'a file of rtl/ is in no list'
{ echo '+incdir+.'; cat "$work/bender"; } >"$work/bender.f"
alone "$work/bender.f" .
cp "$work/bender.f" "$work/alone"
for list in "$rtl"/*.f; do
    name=$(basename "$list" .f)
    lint "$work/alone/bender.f" "$name" -Wno-MULTITOP || bad "Bender.yml is not enough for $name"
done
[ "$checked" -ge 30 ] || bad "only $checked elaborations"
echo "$checked elaborations"
exit "$failed"
