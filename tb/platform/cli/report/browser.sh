#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of `report` in a browser: elements and numbers compared with the database, sorting, filters, comparing and plots
# by events, a narrow screen, dark colours, print. It needs Debian's chromium and uPlot;
# without them, it is skipped (exit code 77).
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

for entries in 512 1024 2048; do
    expect 0 run demo --set tenants.size=small --set l3_tlb.entries=$entries --quiet --trace-window 0:3000
done
ask "UPDATE run SET experiment = '</script><img src=x onerror=alert(1)>' WHERE id = 2"
expect 0 report
grep -q 'uPlot:' report.html || { echo 'no plots in the page: platform/mempath report installs uPlot'; exit 77; }

# As it is, under its policy.
browser --dump-dom "file://$work/report.html" >dom || wrong 'the browser failed'
grep -q 'data-ready="true"' dom || wrong "the page is not complete: $(grep CONSOLE browser.log | head -3)"
! grep -q 'CONSOLE' browser.log || wrong "the browser complains: $(grep CONSOLE browser.log | head -3)"
grep -q '&lt;/script&gt;&lt;img src=x' dom || wrong 'a hostile name is not shown as text'
[ "$(grep -o '<canvas' dom | wc -l)" -ge 1 ] || grep -q 'built without uPlot' dom || wrong 'neither plots nor a word about them'

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
if grep -q '<canvas' dom; then
    is readout true
    is drawn true
fi
is walks "$(ask "SELECT count(*) FROM walk WHERE run = 3 AND component = (SELECT min(component) FROM walk_window WHERE run = 3)")"
is hidden 0
is unnamed 0
is wide false
is ground 'rgb(255, 255, 255)'

# A narrow screen in dark colours.
browser --dump-dom --window-size=400,800 --blink-settings=preferredColorScheme=0 "file://$work/acted.html" >dom
is wide false
is ground 'rgb(20, 23, 28)'
is rows 3

# Print.
browser --no-pdf-header-footer --print-to-pdf="$work/report.pdf" "file://$work/report.html"
[ "$(head -c 4 report.pdf)" = %PDF ] || wrong 'no PDF'
[ "$(wc -c <report.pdf)" -gt 20000 ] || wrong "an empty PDF: $(wc -c <report.pdf) bytes"
finished
