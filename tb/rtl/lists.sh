#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The file lists of rtl/: each is enough for its top, in Verilator and in yosys, as simulated and as synthesized, and
# without any one of its files it is not. So is each list of rules to be bound, in Verilator. Bender.yml has all files
# once, and they are enough for every top. $1 is rtl/, $2 Verilator, $3 yosys or nothing.
set -u
rtl=$(readlink -f -- "$1") verilator=$2 yosys=${3:-}
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
    from=$1 module=$2
    shift 2
    checked=$((checked + 1))
    "$verilator" --lint-only -Wall "$@" -F "$from" --top-module "$module" >"$work/out" 2>&1
}

elaborate() { # list, top
    checked=$((checked + 1))
    (cd "$(dirname "$1")" && sed '/^\/\/\|^+/d; s/^/read_verilog -sv -DSYNTHESIS /' "$1" &&
        echo "hierarchy -check -top $2") >"$work/script.ys"
    (cd "$(dirname "$1")" && "$yosys" -q -s "$work/script.ys") >"$work/out" 2>&1
}

# A copy of rtl/ with the files that are included.
included() {
    rm -rf "$work/alone"
    (cd "$rtl" && find . -name '*.svh') | copy
}

# A list alone: such a copy with the files of the list, but without the others.
alone() { # list in rtl/
    included
    folder=$(dirname "$1")
    mkdir -p "$work/alone/$folder"
    cp "$rtl/$1" "$work/alone/$1"
    (cd "$rtl" && sed '/^\/\/\|^+/d' "$1" | sed "s|^|$folder/|") | copy
}

copy() { # files in rtl/, on stdin
    while read -r file; do
        mkdir -p "$work/alone/$(dirname "$file")"
        cp "$rtl/$file" "$work/alone/$file" || return 1
    done
}

# Without any one of its files the list is not enough. A parameter may need a file that the default does not.
superfluous() { # list in rtl/, top, parameters
    whole=$work/alone/$1 top=$2
    folder=$(dirname "$whole")
    shift 2
    sed '/^\/\/\|^+/d' "$whole" | while read -r file; do
        grep -vxF "$file" "$whole" >"$folder/less.f"
        mv "$folder/$file" "$work/taken"
        for parameter in "$@"; do
            if lint "$folder/less.f" "$top" "$parameter"; then echo enough; else echo missing; fi
        done | grep -q missing || echo "$file"
        mv "$work/taken" "$folder/$file"
    done >"$work/superfluous"
    [ ! -s "$work/superfluous" ] || bad "${whole#"$work/alone/"} has what it does not need: $(tr '\n' ' ' <"$work/superfluous")"
}

tops_of() { sed -n '2s/^.*the top is \([a-z0-9_]*\), or \([a-z0-9_]*\) .*/\1 \2/p' "$1"; }

cd "$rtl" || exit 1
for list in */*.f; do
    name=$(basename "$list" .f) tops=$(tops_of "$list")
    alone "$list" || { bad "$list: no such file"; continue; }
    copied=$work/alone/$list
    for top in ${tops:-$name}; do
        lint "$copied" "$top" || bad "$list is not enough for $top"
        lint "$copied" "$top" -DSYNTHESIS || bad "$list is not enough for the synthesis of $top"
        [ -z "$yosys" ] || elaborate "$copied" "$top" || bad "$list is not enough for $top in yosys"
    done
    case $name in
    mp_star_tlb) superfluous "$list" "$name" -GMODE=0 -GMODE=1 ;;
    *) superfluous "$list" "$name" -DMODE ;;
    esac
done

for list in */checks/*.f; do
    name=$(basename "$list" .f)
    alone "$list" || { bad "$list: no such file"; continue; }
    lint "$work/alone/$list" "${name}_checks" || bad "$list is not enough"
    superfluous "$list" "${name}_checks" -DMODE
done

sed -n 's/^ *- \([a-z0-9_/]*\.sv\)$/\1/p' Bender.yml >"$work/bender"
printf '%s\n' */*.sv */checks/*.sv | sort >"$work/all"
sort "$work/bender" | cmp -s - "$work/all" || bad "Bender.yml: not the files of rtl/: $(sort "$work/bender" | comm -3 - "$work/all" | xargs)"
for list in */*.f */checks/*.f; do
    (cd "$(dirname "$list")" && sed '/^\/\/\|^+/d' "$(basename "$list")" | xargs realpath --relative-to="$rtl")
done | sort -u | cmp -s - "$work/all" || bad 'a file of rtl/ is in no list'
included
copy <"$work/bender"
{ sed -n 's/^ *- include_dirs: \[\(.*\)\]$/\1/p; s/^ *include_dirs: \[\(.*\)\]$/\1/p' Bender.yml | tr -d ' ' | tr ',' '\n' | sort -u | sed 's/^/+incdir+/' && cat "$work/bender"; } >"$work/alone/bender.f"
for list in */*.f; do
    name=$(basename "$list" .f)
    lint "$work/alone/bender.f" "$name" -Wno-MULTITOP || bad "Bender.yml is not enough for $name"
done
[ "$checked" -ge 30 ] || bad "only $checked elaborations"
echo "$checked elaborations"
exit "$failed"
