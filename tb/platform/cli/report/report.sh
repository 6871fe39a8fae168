#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of `report`, without a browser: its data compared with the database, its size, its policy, and that nothing in a
# database can become markup.
. "$(dirname "$0")/../lib.sh"
ask() { sqlite3 "$MEMPATH_DB" "$1"; }

refused 'none.db: no such database' report --db none.db
expect 0 run demo --set tenants.size=small --quiet --trace-window 0:3000
expect 0 run demo --set tenants.size=small --set l3_tlb.entries=512 --quiet
refused 'is unexpected' report page.html
refused '0 runs have such numbers' report --runs 7
refused 'is not a whole number' report --runs one
refused 'is empty' report --runs 2:1
refused 'is too small' report --runs 0
refused '0 runs have such numbers; 1 to 1000' report --runs 5:9
refused 'no/such/folder' report -o no/such/folder/page.html
[ -z "$(find . -name '*.html*')" ] || wrong 'a refused report wrote a page'

# The values of a column, in the order of its rows, of the last command's JSON.
column() { # table, name
    sqlite3 -separator '|' :memory: "WITH RECURSIVE d(j) AS (SELECT CAST(readfile('$work/out') AS TEXT)),
        c(c) AS (SELECT c.value FROM d, json_each(j, '\$.$1.columns') c WHERE json_extract(c.value, '\$.name') = '$2'),
        p(at, k, n) AS (SELECT key, value, json_extract(c, '\$.r[' || (key + 1) || ']') FROM c, json_each(c, '\$.r')
            WHERE key % 2 = 0 UNION ALL SELECT at, k, n - 1 FROM p WHERE n > 1)
        SELECT group_concat(ifnull(v, 'NULL'), ' ') FROM (
            SELECT at, json_extract(c, '\$.v[' || k || ']') AS v FROM c, p
            UNION ALL SELECT i.key, json_extract(c, '\$.v[' || i.value || ']') FROM c, json_each(c, '\$.i') i
            UNION ALL SELECT v.key, v.value FROM c, json_each(c, '\$.v') v
                WHERE json_type(c, '\$.r') IS NULL AND json_type(c, '\$.i') IS NULL
            ORDER BY at)"
}
same() { # table, column, SQL whose rows are joined by blanks
    wanted=$(ask "SELECT group_concat(ifnull(x, 'NULL'), ' ') FROM ($3)")
    got=$(column "$1" "$2")
    [ "$got" = "$wanted" ] || wrong "$1, $2: '$got', not '$wanted'"
    [ -n "$got" ] || wrong "$1, $2: nothing"
}

expect 0 report --json --runs 1:2
json "json_valid(j)" 1
same runs run 'SELECT id AS x FROM run ORDER BY id DESC'
same runs cycles 'SELECT cycles AS x FROM run ORDER BY id DESC'
same runs tenants 'SELECT apps AS x FROM runs ORDER BY run DESC'
same parameters l3_tlb.entries "SELECT value AS x FROM parameter WHERE path = 'l3_tlb.entries' ORDER BY run DESC"
rows='(SELECT r.id AS run, t.tenant AS tenant FROM run r JOIN tenant t ON t.run = r.id) k'
values() { # view, expression: by run and tenant, then a NULL for each run's own row
    echo "SELECT x FROM (SELECT k.run, k.tenant, (SELECT printf('%.5g', $2) FROM $1 v WHERE v.run = k.run AND v.tenant = k.tenant
        ${3:-}) AS x FROM $rows ORDER BY k.run DESC, k.tenant) UNION ALL SELECT NULL FROM run"
}
same metrics ipc "$(values ipc ipc)"
same metrics l3_tlb.hit_rate "$(values tlb_hit_rate 'hit_rate * 1.0' "AND level = 'l3_tlb'")"
same metrics energy.l1_tlb "$(values energy 'sum(count * nanojoules) / 1000' "AND structure = 'l1_tlb'")"
same metrics walk.mean "$(values walk_latency mean_cycles)"
same metrics walk.p99 "$(values walk_latency p99)"
grep -q 'cycles, within 1.6 %' out || wrong 'the error of the percentiles is missing'
same windows walks 'SELECT (SELECT count(*) FROM walk WHERE walk.run = w.run AND walk.component = w.component) AS x
    FROM walk_window w ORDER BY run DESC, component'
json "json_array_length(j, '\$.counters.left_out')" 0
json "json_extract(j, '\$.walks.rows')" "$(ask 'SELECT min(count(*), 1500) FROM walk WHERE run = 1')"

# One run has the form of a number, or is a window.
for one in 2 2:2; do
    expect 0 report --json --runs $one
    [ "$(column runs run)" = 2 ] || wrong "--runs $one: runs '$(column runs run)'"
done
expect 0 report --json --runs 1:2

# Papers: what they print, what the committed evidence has, and its pages.
json "json_extract(j, '\$.claims.rows') > 50" 1
json "json_extract(j, '\$.numbers.rows') > 100" 1
json "json_extract(j, '\$.causes.dws') LIKE '# DWS: measured and printed%'" 1

# A statement about each point of a figure is not about points that follow from others, whatever their names are: DWS's
# "little scope for LL" is that each is less than 1.1.
ask "INSERT INTO paper_point (paper, figure, series, x, unit, note, position) VALUES
        ('dws', 'fig2@small', 'LL', 'A over B', '', '', 0), ('dws', 'fig2@small', 'LL', 'twice', '', '', 1);
     INSERT INTO measured_point (paper, figure, series, x, value, revision, measured, derived) VALUES
        ('dws', 'fig2@small', 'LL', 'A over B', 1, 'r', '', 0), ('dws', 'fig2@small', 'LL', 'twice', 2, 'r', '', 1)"
for wrong_point in "x = 'no'" "x = 'twice'" "x = 'A over B'"; do
    ask "UPDATE measured_point SET derived = x = 'twice', value = 1 + (x = 'twice');
         UPDATE measured_point SET derived = 0, value = 2 WHERE $wrong_point"
    expect 0 report --json
    case "$wrong_point $(column claims source) $(column claims verdict)" in
    "x = 'no' this database committed"*"committed holds "*) ;;
    "x = 'no'"*) wrong "a derived point counts: $(column claims verdict)" ;;
    *" this database committed"*"committed does not hold "*) ;;
    *) wrong "a point does not count, $wrong_point: $(column claims verdict)" ;;
    esac
done
ask "DELETE FROM paper_point"

# ---- the page ----
data_of() { # page: its data, as if they were the last command's JSON
    sed -n '/<script type="application\/json"/,/<\/script>/p' "$1" |
        sed 's/.*<script type="application\/json" id="data">//; s/<\/script>.*//' >out
}
hostile='</script><img src=x onerror=alert(1)>&"'\''<!--'
ask "UPDATE run SET experiment = '$(printf '%s' "$hostile" | sed "s/'/''/g")' WHERE id = 2;
     UPDATE tenant SET app = '<b>bold</b>' || char(8232) WHERE run = 2 AND tenant = 0;
     UPDATE run SET error = CAST(x'ff3c' AS TEXT) WHERE id = 1"
expect 0 report
says 'report.html: 2 runs'
expect 0 report -o again.html
cmp -s report.html again.html || wrong 'the same database gives another page'
data_of report.html
json "json_valid(j)" 1
[ "$(tr -cd '<>&' <out | wc -c)" = 0 ] || wrong 'the data have characters of markup'
[ "$(column runs experiment)" = "$hostile demo" ] || wrong "experiments: '$(column runs experiment)'"
[ "$(grep -o '<script' report.html | wc -l)" = "$(grep -o '</script>' report.html | wc -l)" ] || wrong 'scripts do not match'
[ "$(grep -o '<script' report.html | wc -l)" = 2 ] || wrong 'not two scripts'
! grep -q '<img\|<b>' report.html || wrong 'a text became markup'
[ "$(wc -c <report.html)" -lt 400000 ] || wrong "two runs take $(wc -c <report.html) bytes"

# The policy allows this script and this style, and no other; nothing is loaded.
policy() { grep -o "$1 'sha256-[^']*'" report.html | sed "s/.*sha256-//; s/'//" | base64 -d | od -An -v -tx1 | tr -d ' \n'; }
inside() { # tag without attributes
    awk -v tag="$1" 'BEGIN { RS = "\001" } { at = index($0, "<" tag ">") + length(tag) + 2; text = substr($0, at)
        printf "%s", substr(text, 1, index(text, "</" tag ">") - 1) }' report.html | sha256sum | cut -d ' ' -f 1
}
[ "$(policy script-src)" = "$(inside script)" ] || wrong 'the policy is for another script'
[ "$(policy style-src)" = "$(inside style)" ] || wrong 'the policy is for another style'
grep -q "default-src 'none'" report.html || wrong 'no policy'
! grep -Eq '<(script|img|link|iframe)[^>]*(src|href)="?[^d"]' report.html || wrong 'the page loads something'

# Managed memory: results, costs by part, and what is resident.
of_all=$MEMPATH_DB MEMPATH_DB=$work/managed.db
expect 0 run star-a100-mig --set tenants.0.app=BFS --set tenants.0.slices=1 --set tenants.0.size=small --set tenants.0.managed=true \
    --set machine.page_bytes=4096 --set uvm.chunks=1 --quiet --trace-window 0:99999999
expect 0 report --json
same managed refetched "SELECT value AS x FROM counters WHERE kind = 'uvm' AND metric = 'refetched'"
same managed 'mean of a fault' 'SELECT round(fault_us, 2) AS x FROM managed_memory'
same fault_cost part 'SELECT part AS x FROM fault_cost ORDER BY position'
same fault_cost cost 'SELECT iif(us_per_page = 0, 0, round(us_per_page, 4)) AS x FROM fault_cost ORDER BY position'
same resident pages "SELECT sum(change) OVER (ORDER BY cycle) AS x FROM (SELECT cycle, sum(change) AS change FROM (SELECT cycle,
    pages - lag(pages, 1, 0) OVER (PARTITION BY block ORDER BY cycle) AS change FROM managed_resident) GROUP BY cycle)"
expect 0 report
grep -q 'id="managed"' report.html || wrong 'no section of managed memory'
MEMPATH_DB=$of_all

# ---- 1000 runs, all of them different: half a minute of processor time ----
[ "${3:-quick}" = long ] || { finished; exit; }
ask "PRAGMA foreign_keys = OFF;
    CREATE TEMP TABLE copy AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1100) SELECT 10 + n AS id FROM n;
    DELETE FROM value WHERE component NOT IN (SELECT min(id) FROM component WHERE run = 1 GROUP BY kind);
    CREATE TEMP TABLE r AS SELECT * FROM run WHERE id = 1;
    $(ask "SELECT printf('INSERT INTO %s (%s) SELECT %s FROM copy, %s t WHERE t.%s = 1;', name,
        (SELECT group_concat(c.name) FROM pragma_table_info(m.name) c),
        (SELECT group_concat(CASE WHEN c.name = iif(m.name = 'run', 'id', 'run') THEN 'copy.id'
            WHEN c.name = 'uuid' THEN 't.uuid || copy.id' WHEN c.name = 'changes' THEN '''l3_tlb.entries='' || copy.id || '' walk.scheduler=dws tenants.0.size=small'''
            WHEN m.name IN ('value', 'total') AND c.name = 'value' THEN 't.value + copy.id * 7919 % 100003' ELSE 't.' || c.name END)
            FROM pragma_table_info(m.name) c), name, iif(m.name = 'run', 'id', 'run'))
        FROM sqlite_schema m WHERE name IN ('run', 'tenant', 'run_input', 'component', 'value', 'total', 'parameter')")"
expect 0 report -o large.html
says 'large.html: 1000 runs'
[ "$(wc -c <large.html)" -lt 1000000 ] || wrong "1000 runs take $(wc -c <large.html) bytes"
[ "$(wc -c <large.html)" -gt 500000 ] || wrong "1000 runs take only $(wc -c <large.html) bytes"
data_of large.html
json "json_extract(j, '\$.runs.rows')" 1000
json "json_array_length(j, '\$.runs.left_out')" 0
json "(SELECT count(*) FROM json_each(j, '\$.metrics.left_out') WHERE value NOT GLOB 'energy.*')" 0
refused '1102 runs have such numbers; 1 to 1000' report --runs 0:9999
finished
