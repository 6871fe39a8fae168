# SPDX-License-Identifier: Apache-2.0
# What the proofs beside it share, sourced by prove*.sh [WORKFOLDER]: where the RTL is, a folder to work in, which becomes the
# current one, and faults.
# shellcheck shell=sh disable=SC2034
rtl=$(cd "$(dirname "$0")/.." && pwd)
work=${1:-$(mktemp -d)}
mkdir -p "$work" && cd "$work" || exit 1
HOME=$work # yosys leaves a file there
export HOME
failed=0

wrong() { # what, why, log
    printf 'WRONG: %s: %s\n' "$1" "$2"
    [ $# -lt 3 ] || tail -n 3 "$3"
    failed=1
}

# What it is for; a file of the RTL, its text and the fault that is there instead: the design with it as faulty/.
insert() {
    rm -rf faulty
    mkdir faulty
    cp -R "$rtl"/*.sv "$rtl"/formal faulty/
    awk -v from="$3" -v to="$4" '{ i = index($0, from) }
        i { $0 = substr($0, 1, i - 1) to substr($0, i + length(from)); n++ }
        { print }
        END { exit n != 1 }' "$rtl/$2" >"faulty/$2" || {
        wrong "$1" "'$3' does not stand in the RTL once"
        return 1
    }
}

# The comment above assertions, their file in faulty/: these as a selection of yosys, in $lines.
assertions() {
    lines=$(awk -v text="$1" -v file="${2##*/}" '
        /^ *\/\/|^ *$|^endmodule/ { seen = index($0, text) }
        seen && /assert \(/ { open = 1 }
        open && /;$/ { printf " a:src=*%s:*-%d.*", file, NR; open = 0 }' "faulty/$2")
    [ -n "$lines" ] || {
        wrong "$1" 'no such assertion'
        return 1
    }
}
