#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of `report` in a browser: elements and numbers compared with the database, sorting, filters, comparing and plots
# by events, a narrow screen, dark colours, print. It needs Debian's chromium; without it, it is skipped (exit code 77).
command -v chromium >/dev/null || { echo 'no chromium'; exit 77; }
here=$(realpath "$(dirname "$0")")
. "$(dirname "$0")/../lib.sh"
ask() { sqlite3 "$MEMPATH_DB" "$1"; }

browser() { # options, page
    timeout 120 chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr \
        --user-data-dir="$work/profile" --virtual-time-budget=4000 "$@" 2>browser.log
}
result() { sed -n "s/^$1=//p" dom; }
is() { # name, value
    [ "$(result "$1")" = "$2" ] || wrong "$1 is '$(result "$1")', not '$2'"
}
# The page with the actions, which its policy would refuse.
with_actions() {
    { sed 's/<meta http-equiv="Content-Security-Policy"[^>]*>//; /<\/body>/,$d' "$1"
        printf '<script>\n'; cat "$here/actions.js"; printf '</script></body></html>\n'; } >acted.html
}

cat >l3.yaml <<'YAML'
experiments: [star-a100-mig]
workloads:
  three: [{app: MT, size: small, slices: 3}, {app: NW, size: small, slices: 2}, {app: ST, size: small, slices: 2}]
parameters:
  l3_tlb.entries: [8, 16, 64]
  l3_tlb.policy: [subentry, star]
YAML
for entries in 512 1024 2048; do
    expect 0 run demo --set tenants.size=small --set l3_tlb.entries=$entries --quiet --trace-window 0:3000
done
ask "UPDATE run SET experiment = '</script><img src=x onerror=alert(1)>' WHERE id = 2"
expect 0 report

# As it is, under its policy.
browser --dump-dom "file://$work/report.html" >dom || wrong 'the browser failed'
grep -q 'data-ready="true"' dom || wrong "the page is not complete: $(grep CONSOLE browser.log | head -3)"
! grep -q 'CONSOLE' browser.log || wrong "the browser complains: $(grep CONSOLE browser.log | head -3)"
grep -q '&lt;/script&gt;&lt;img src=x' dom || wrong 'a hostile name is not shown as text'

# What a reader does.
with_actions report.html
browser --dump-dom --window-size=1200,900 "file://$work/acted.html" >dom
grep -q 'id="result"' dom || wrong "the actions stopped: $(grep CONSOLE browser.log | head -3)"
is ready true
is requests 0
is images 0
is rows 3
is runs '3 2 1'
is sort descending
is descending true
is ascending true
is filtered 1
is none '0 of 3 rows'
[ "$(result compared | tr '\n' ' ')" = 'Runs 1, 3 compared Runs 1, 2, 3 compared ' ] ||
    wrong "compared: $(result compared)"
is differs true
is curves "$(ask "SELECT group_concat(app, ' ') FROM (SELECT DISTINCT app FROM tenant ORDER BY app)")"
is places '512 1,024 2,048'
is values "$(ask "SELECT group_concat(printf('%.5g', ipc), ' ') FROM (SELECT ipc FROM ipc JOIN (SELECT min(app) AS app FROM tenant)
    USING (app) ORDER BY run)")"
is readout true
is points "$(result values)"
is walks "$(ask "SELECT count(*) FROM walk WHERE run = 3 AND component = (SELECT min(component) FROM walk_window WHERE run = 3)")"
is hidden 0
is unnamed 0
is wide false
is ground 'rgb(255, 255, 255)'

# A study: its table has the order of its axes, and the pictures have the numbers of the database.
expect 0 sweep l3.yaml --alone --quiet
expect 0 report -o study.html
with_actions study.html
browser --dump-dom --window-size=1200,900 "file://$work/acted.html" >dom
points() { # expression over the run of each point of STAR, in its order
    ask "SELECT group_concat(printf('%.4g', x), ' ') FROM (SELECT ($1) AS x FROM points p
        WHERE label LIKE '%policy=star%' ORDER BY number)"
}
rounded() { ask "SELECT group_concat(printf('%.4g', value + 0), ' ') FROM json_each('[' || replace('$(result "$1")', ' ', ',') || ']')"; }
like() { # name, wanted
    [ "$(rounded "$1")" = "$2" ] || wrong "$1 is '$(rounded "$1")', not '$2'"
}
is studies l3
is order '8 8 16 16 64 64'
is visible true
like ipc "$(points "SELECT ipc FROM ipc WHERE run = p.run AND app = 'NW'")"
like heat "$(points 'SELECT sum(ipc) FROM ipc WHERE run = p.run')"
of_all() { ask "SELECT group_concat(printf('%.4g', x), ' ') FROM (SELECT ($1) AS x FROM points p ORDER BY number)"; }
like slowdown "$(of_all "SELECT slowdown FROM slowdown WHERE run = p.run AND app = 'NW'")"
like energy "$(of_all "SELECT sum(count * nanojoules) / 1000 FROM energy WHERE run = p.run AND structure = 'l3_tlb'")"
like bandwidth "$(of_all "SELECT value FROM results WHERE run = p.run AND app = 'NW' AND metric = 'dram.bandwidth'")"
is launches "$(ask "SELECT count(*) FROM launch WHERE run IN (SELECT DISTINCT run FROM launch ORDER BY run DESC LIMIT 3)")"
is wide false

is overlaps ''

# A narrow screen, with the study.
browser --dump-dom --window-size=390,800 "file://$work/acted.html" >dom
is wide false

# A study with seeds: a mark where an interval overlaps the first, as the query says.
cat >seeds.yaml <<'YAML'
experiments: [star-a100-mig]
workloads:
  one: [{app: PR, size: small, slices: 2}]
parameters:
  l2d.latency: [170, 171, 600]
  seed: [1, 2, 3, 4]
  sm.scheduler: [gto]
YAML
expect 0 sweep seeds.yaml --quiet
expect 0 report -o seeds.html
with_actions seeds.html
browser --dump-dom --window-size=1200,900 "file://$work/acted.html" >dom
wanted=$(ask "WITH m AS (SELECT * FROM seed_means WHERE metric = 'ipc' AND study = (SELECT max(id) FROM study)),
    first AS (SELECT * FROM m ORDER BY first_point LIMIT 1)
    SELECT group_concat('PR@' || substr(m.label, length('l2d.latency=') + 1), ' ') FROM m, first
    WHERE m.label <> first.label AND abs(m.mean - first.mean) <= m.half_width + first.half_width")
is overlaps "$wanted"
with_actions report.html

# A narrow screen in dark colours.
browser --dump-dom --window-size=390,800 --blink-settings=preferredColorScheme=0 "file://$work/acted.html" >dom
is wide false
is ground 'rgb(20, 23, 28)'
is rows 3

# Print.
browser --no-pdf-header-footer --print-to-pdf="$work/report.pdf" "file://$work/report.html"
[ "$(head -c 4 report.pdf)" = %PDF ] || wrong 'no PDF'
[ "$(wc -c <report.pdf)" -gt 20000 ] || wrong "an empty PDF: $(wc -c <report.pdf) bytes"
finished
