#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `serve`: its answers are those of the database as it is now, what would write or run for long is refused, and so is what
# does not come from its own page. Where Debian's chromium is, the page follows a sweep.
. "$(dirname "$0")/../lib.sh"
command -v curl >/dev/null || { echo 'no curl'; exit 77; }
ask() { sqlite3 "$MEMPATH_DB" "$1"; }

refused 'no such database' serve none.db
refused 'is too large' serve --port 70000
expect 0 run star-a100-mig --set tenants.0.app=FIR --set tenants.0.size=small --set tenants.0.slices=3 --quiet
refused 'is unexpected; one database' serve a.db b.db

"$mempath" serve --port 0 --json >address 2>server.err &
pid=$!
trap 'kill "$pid" 2>/dev/null; chmod -R u+w "$work"; rm -rf "$work"' EXIT
tries=0
until grep -q '^}' address || [ $((tries += 1)) = 100 ]; do sleep 0.1; done
url=$(sed -n 's/.*"url": "\(.*\)".*/\1/p' address)
[ -n "$url" ] || wrong "no address: $(cat address server.err)"
port=${url#http://127.0.0.1:} port=${port%/}
refused 'cannot be had' serve --port "$port"

get() { # status, path, options of curl
    wanted=$1 path=$2
    shift 2
    checks=$((checks + 1))
    got=$(curl -s -m 60 -o out -w '%{http_code}' "$@" "${url%/}$path")
    [ "$got" = "$wanted" ] || wrong "$path $*: $got, not $wanted"
}
sql() { # status, statement
    get "$1" /query -G --data-urlencode "sql=$2"
}

get 200 /
grep -q "connect-src 'self'" out || wrong 'the page may not ask its server'
grep -q '"live":true' out || wrong 'the page does not know that it is served'
expect 0 report
! grep -q "connect-src 'self'" report.html || wrong 'a page in a file may send requests'
get 200 /version
first=$(cat out)
sql 200 'SELECT run, app, ipc FROM ipc WHERE run = :run'
json "json_extract(j, '\$[0].app')" FIR
json "printf('%.9g', json_extract(j, '\$[0].ipc'))" "$(ask "SELECT printf('%.9g', ipc) FROM ipc")"
sql 200 runs
json "json_extract(j, '\$[0].run')" 1
sql 200 'SELECT 1 AS x; -- a comment'
sql 200 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) SELECT x FROM c'
json 'json_array_length(j)' 5000

# Nothing is written, nothing else is read, and nothing takes long.
sum=$(ask 'SELECT count(*) || max(id) FROM run')
while IFS='|' read -r says statement; do
    sql 400 "$statement"
    json "json_extract(j, '\$.error') LIKE '%$says%'" 1
done <<'EOF'
would change the database|DELETE FROM run
would change the database|CREATE TABLE x (y)
not authorized|ATTACH '/etc/passwd' AS x
not authorized|PRAGMA writable_schema = 1
not authorized|SELECT load_extension('x')
not authorized|BEGIN
no such function|SELECT readfile('/etc/passwd')
more than one statement|SELECT 1; DROP TABLE run
takes too long|WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c
too long|SELECT zeroblob(1000000)
incomplete input|SELECT (
unknown|moon
unknown|
EOF
sql 400 "SELECT $(printf '%020500d' 1)"
get 400 /query
[ "$(ask 'SELECT count(*) || max(id) FROM run')" = "$sum" ] || wrong 'a query has changed the database'
for path in /moon /../../etc/passwd /%2e%2e/%2e%2e/etc/passwd //etc/passwd /query/ /report.html; do
    get 404 "$path" --path-as-is
done
get 403 /version -H 'Host: evil.example'
get 403 /query?sql=runs -H 'Host: 127.0.0.1'
get 403 /data -H 'Origin: http://evil.example'
get 403 /data -H 'Sec-Fetch-Site: cross-site'
for method in POST PUT DELETE OPTIONS PATCH; do
    get 405 /query?sql=runs -X "$method" -d x=1
done
get 200 / -I
for name in 'X-Frame-Options: DENY' 'X-Content-Type-Options: nosniff' 'Cache-Control: no-store' 'Cross-Origin-Resource-Policy: same-origin'; do
    curl -s -I "$url" | grep -q "$name" || wrong "no $name"
done
for address in $(hostname -I 2>/dev/null); do
    case $address in *:*) address="[$address]" ;; esac
    ! curl -s -m 2 -o /dev/null "http://$address:$port/version" || wrong "$address: another machine could reach it"
done
printf 'GARBAGE\r\n\r\n' | timeout 5 sh -c "exec 3<>/dev/tcp/127.0.0.1/$port" 2>/dev/null || true

# A run that ends changes the version and the data.
expect 0 run star-a100-mig --set tenants.0.app=MT --set tenants.0.size=small --set tenants.0.slices=3 --quiet
get 200 /version
[ "$(cat out)" != "$first" ] || wrong 'the version does not follow the database'
get 200 /data
json "json_extract(j, '\$.runs.rows')" 2

# In the browser: SQL and a pivot table by a link, with its picture; hostile names; a run that ends meanwhile.
browse() { # milliseconds of the page's clock, which does not wait when nothing happens; address
    timeout 120 chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr \
        --user-data-dir="$work/profile" --virtual-time-budget="$1" --dump-dom "$2" 2>browser.log >dom
}
if command -v chromium >/dev/null; then
    ask "UPDATE tenant SET app = '<img src=x onerror=alert(1)>' WHERE run = 2"
    browse 4000 "$url#rows=app&of=mean&value=ipc&sql=SELECT%20run,%20app,%20ipc%20FROM%20ipc" || wrong 'the browser failed'
    grep -q 'data-ready="true"' dom || wrong "the page is not complete: $(grep CONSOLE browser.log | head -3)"
    ! grep -q 'CONSOLE' browser.log || wrong "the browser complains: $(grep CONSOLE browser.log | head -3)"
    grep -q '<caption>2 rows</caption>' dom || wrong 'SQL has no answer'
    grep -q '<caption>mean of ipc</caption>' dom || wrong 'no pivot table'
    ! grep -q '<img' dom || wrong 'a name became an element'
    grep -q '<td>&lt;img src=x' dom || wrong 'a hostile name is not shown as text'
    grep -q "data-x=\"FIR\" data-value=\"$(ask "SELECT substr(ipc, 1, 8) FROM ipc WHERE app = 'FIR'")" dom ||
        wrong 'the picture of the pivot table has another number'
    grep -q '<summary><b>energy_counts</b> view' dom || wrong 'the schema lacks a view'
    browse 900000 "$url" & # for some seconds
    browser=$!
    sleep 3
    expect 0 run star-a100-mig --set tenants.0.app=PR --set tenants.0.size=small --set tenants.0.slices=2 --quiet
    wait "$browser" || wrong 'the browser failed'
    grep -q 'live: 3 runs' dom || wrong "the page does not follow: $(grep -o 'live: [^<]*' dom)"
fi

kill -INT "$pid"
code=0
wait "$pid" || code=$?
[ "$code" = 0 ] || wrong "after SIGINT, which is how a server ends: exit code $code"
finished
