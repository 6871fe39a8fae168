# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For the tests of the command: `. lib.sh` with the program as $1 and a folder for recorded traces as $2. Each test
# works in a temporary folder with a separate database.
set -u
mempath=$(realpath "$1")
MEMPATH_CACHE=$(realpath -m "$2")
export MEMPATH_CACHE
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
MEMPATH_DB=$work/results.db
export MEMPATH_DB
checks=0

wrong() {
    printf 'FAILED: %s\n' "$*" >&2
    [ ! -f "$work/out" ] || { echo '--- stdout'; head -n 20 "$work/out"; echo '--- stderr'; head -n 20 "$work/err"; } >&2
    exit 1
}

# A database may be locked by a run in the background for a moment.
sqlite3() { command sqlite3 -cmd '.timeout 20000' "$@"; }

# Runs mempath; its exit code must be the first argument.
expect() {
    wanted=$1
    shift
    checks=$((checks + 1))
    code=0
    "$mempath" "$@" >"$work/out" 2>"$work/err" </dev/null || code=$?
    [ "$code" = "$wanted" ] || wrong "mempath $*: exit code $code, not $wanted"
}

# Bad usage or input: exit code 2, nothing on stdout, one line on stderr that says where, what and what is allowed.
refused() {
    pattern=$1
    shift
    expect 2 "$@"
    [ ! -s "$work/out" ] || wrong "mempath $*: refused, yet wrote to stdout"
    [ "$(wc -l <"$work/err")" = 1 ] || wrong "mempath $*: not one line of error"
    grep -Eq '^(mempath(-record)?|{"error"): .*: .*' "$work/err" || wrong "mempath $*: not 'mempath: WHERE: WHAT'"
    grep -q -- "$pattern" "$work/err" || wrong "mempath $*: the error does not say '$pattern'"
}

# The error of a command with --json, which is the last line on stderr.
json_error() {
    tail -n 1 "$work/err" >"$work/error.json"
    sqlite3 :memory: "SELECT CAST(readfile('$work/error.json') AS TEXT) ->> 'error'"
}

says() { # pattern in the last command's stdout
    grep -q -- "$1" "$work/out" || wrong "stdout does not say '$1'"
}

# Asks the last command's JSON by an SQL expression over j, and compares.
json() {
    got=$(sqlite3 :memory: "WITH t(j) AS (SELECT CAST(readfile('$work/out') AS TEXT)) SELECT $1 FROM t" 2>&1)
    [ "$got" = "$2" ] || wrong "JSON: $1 is '$got', not '$2'"
}

finished() { echo "$checks commands checked"; }
