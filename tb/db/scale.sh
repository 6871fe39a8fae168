#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a database of many runs, to measure queries (db/README.md, Scale): four real runs (a workload of three
# applications, and each alone) are copied under other numbers, seeds and machines, with the rows that they really have.
# Copy k has another L3 TLB, so that each workload is compared with runs alone on an equal machine. No clock and no
# random number: the same RUNS give the same rows, except the times and names of the four.
#
#   scale.sh MEMPATH RUNS FILE.db
set -eu
mempath=$1 runs=$2 db=$3
[ ! -e "$db" ] || { echo "scale: $db: exists; a name for a new file" >&2 && exit 2; }
rm -f "$db.part" "$db.real"
"$mempath" run star/w2 --alone --set tenants.size=small --jobs 1 --quiet --db "$db.real" >/dev/null
rm -f "$db.real-wal" "$db.real-shm"
cp "$db.real" "$db.part"

ask() { sqlite3 "$db.part" "$1"; }

# The columns of a table that are stored, with the expressions of the arguments "COLUMN=SQL" in place of some.
columns() {
    table=$1
    shift
    for name in $(ask "SELECT name FROM pragma_table_info('$table')"); do
        value=t.$name
        for other in "$@"; do [ "${other%%=*}" != "$name" ] || value=${other#*=}; done
        printf '%s%s' "${comma-}" "$value"
        comma=,
    done
    unset comma
}

# Copies all rows of a table for each copy, in the order of runs, with these columns changed.
copies() {
    table=$1
    shift
    names=$(ask "SELECT group_concat(name) FROM pragma_table_info('$table')")
    echo "INSERT INTO $table ($names) SELECT $(columns "$table" "$@") FROM copy CROSS JOIN real.$table t;"
}

real=$(ask 'SELECT count(*) FROM run')
last=$(ask 'SELECT max(id) FROM run')
bins=$(ask 'SELECT max(id) FROM histogram')
[ "$real" = "$last" ] || { echo 'scale: the real runs are not numbered from 1' >&2 && exit 1; }
run="run=t.run + k * $last"
{
    echo "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000;"
    echo "ATTACH '$db.real' AS real;"
    echo "CREATE TEMP TABLE copy (k INTEGER PRIMARY KEY);"
    echo "WITH RECURSIVE n (k) AS (VALUES (1) UNION ALL SELECT k + 1 FROM n WHERE k < $runs / $last - 1) INSERT INTO copy SELECT k FROM n;"
    copies run "id=t.id + k * $last" "uuid=printf('%08x-0000-4000-8000-%012x', k, t.id)" "seed=k" \
        "config_hash=printf('%032x', k * $last + t.id)" "machine_hash=printf('%032x', k)" "digest=printf('%032x', k * 31 + t.id)" \
        "started=strftime('%Y-%m-%dT%H:%M:%S.000Z', t.started, (k * 60) || ' seconds')" "cycles=t.cycles + k % 1009" \
        "experiment='star/w' || (1 + k % 18)"
    copies tenant "$run" 'cycles=t.cycles + k % 1009'
    copies run_input "$run"
    copies parameter "$run" "value=CASE t.path WHEN 'l3_tlb.entries' THEN 16 * (1 + k % 256) WHEN 'l3_tlb.latency' THEN 10 + k / 256
        WHEN 'l3_tlb.policy' THEN CASE k % 2 WHEN 0 THEN 'subentry' ELSE 'star' END ELSE t.value END"
    copies component "$run"
    copies value "$run" 'value=t.value + k % 1009'
    copies total "$run" 'value=t.value + t.components * (k % 1009)'
    copies histogram "$run" "id=t.id + k * $bins"
    copies histogram_bin "histogram=t.histogram + k * $bins"
} >"$db.sql"
sqlite3 "$db.part" <"$db.sql" >/dev/null
sqlite3 "$db.part" 'PRAGMA journal_mode = WAL' >/dev/null
rm -f "$db.real" "$db.sql"
mv "$db.part" "$db"
