#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The blocks and links of a machine: the table, the JSON document and a run agree, and pictures are whole.
. "$(dirname "$0")/../lib.sh"

blocks="json_each(j, '\$.blocks')" links="json_each(j, '\$.links')"

# The table's totals and rows are those of the JSON document.
agrees() { # arguments of mempath machine
    expect 0 machine "$@"
    total=$(tail -n 1 "$work/out")
    rows=$(awk '/^blocks / { on = 1; next } /^$/ { on = 0 } on { n += $1 } END { print n }' "$work/out")
    expect 0 machine "$@" --all
    [ "$(tail -n 1 "$work/out")" = "$total" ] || wrong "machine $*: --all has other totals"
    [ "$(grep -c '^gpu' "$work/out")" = "$(echo "$total" | awk '{ print $1 + $3 }')" ] ||
        wrong "machine $*: not a row for each block and each link"
    expect 0 machine "$@" --json
    json "(SELECT count(*) FROM $blocks) || ' blocks, ' || (SELECT count(*) FROM $links) || ' links'" "$total"
    json "(SELECT count(*) FROM $blocks)" "$rows"
    # Every link has its own in port of a block that exists.
    json "(SELECT sum(value ->> 'ins') FROM $blocks)" "$(echo "$total" | awk '{ print $3 }')"
    json "(SELECT count(DISTINCT (l.value ->> 'to') || ' ' || (l.value ->> 'port')) FROM $links l
        JOIN $blocks b ON b.value ->> 'path' = l.value ->> 'to' WHERE l.value ->> 'port' < b.value ->> 'ins')" \
        "$(echo "$total" | awk '{ print $3 }')"
}

kinds() { # level, number of its blocks
    json "(SELECT count(*) FROM $blocks WHERE value ->> 'level' = '$1')" "$2"
}

agrees
says '"name": "demo"'
kinds sm 98
kinds l1_tlb 49
kinds l3_tlb 1
agrees star-a100-mig --set l3_tlb.per=none
kinds l3_tlb 0
json "(SELECT count(*) FROM $links WHERE value ->> 'from' = 'gpu.gpc0.l2_tlb' AND value ->> 'to' = 'gpu.mig0.walk')" 1
agrees demo --set l1_tlb.per=sm --set l1d.per=slice
kinds l1_tlb 98
kinds l1d 7
agrees dws-30sm --set tenants.0.app=GUPS --set tenants.1.app=MM --set tenants.size=small --set l2_tlb.per=tenant
kinds l2_tlb 2
says '"gpu.gpc0.l2_tlb1"'

# The title of a changed machine says so.
expect 0 machine star-a100-mig
says '^star-a100-mig: The A100 with MIG of STAR .*TLBs$'
expect 0 machine star-a100-mig --set l3_tlb.entries=512
says '^star-a100-mig: The A100 with MIG of STAR .* (changed: l3_tlb.entries=512)$'
expect 0 machine star-a100-mig --set l3_tlb.entries=512 -o changed.dot
grep -q '(changed: l3_tlb.entries=512)' changed.dot || wrong 'the picture is not titled as changed'

# The machine that is shown is the machine that runs.
expect 0 machine demo --json
cp "$work/out" shown
expect 0 run demo --set tenants.size=small --quiet
sqlite3 "$MEMPATH_DB" "SELECT path FROM component WHERE run = 1 AND kind NOT IN ('gpu', 'mig', 'gpc', 'tpc', 'tenant')
    ORDER BY path" >ran
sqlite3 :memory: "SELECT value ->> 'path' FROM json_each(CAST(readfile('shown') AS TEXT), '\$.blocks') ORDER BY 1" |
    diff - ran >&2 || wrong 'a run has other blocks'
[ "$(wc -l <ran)" = 262 ] || wrong 'not the blocks of the demonstration'

# Pictures.
expect 0 machine -o m.dot
says '^m.dot$'
grep -q '^digraph' m.dot || wrong 'no graph'
for text in 'translation requests' 'memory requests' 'Instance of tenant 0: MT medium' 'one per TPC'; do
    grep -q "$text" m.dot || wrong "the graph does not say '$text'"
done
expect 0 machine -o m.svg --json
json "json_valid(j)" 1
expect 0 machine -o again.svg
cmp -s m.svg again.svg || wrong 'the same picture twice differs'
# The picture in ARCHITECTURE.md has the words of one that is drawn now; where they are depends on the version of Graphviz.
words() { sed -n "s/.*<text[^>]*>\(.*\)<\/text>/\1/p" "$1" | sort; }
words m.svg >now
words "$(dirname "$0")/../../../../platform/presets/demo.svg" | diff - now >&2 || wrong "platform/presets/demo.svg: other words than mempath machine -o demo.svg writes"
[ "$(wc -l <now)" -gt 20 ] || wrong "the picture has no words"
head -c 500 m.svg | grep -q '<?xml' || wrong 'no XML'
grep -q '</svg>' m.svg || wrong 'the picture is cut'
# An XML reader: tags match, and every & begins an entity.
awk -v RS='<' 'NR > 1 && /^[a-z]/ && !/\/>/ { sub(/[ >].*/, ""); open[++n] = $0; next }
    /^\// { sub(/^\//, ""); sub(/>.*/, ""); if (open[n--] != $0) bad = 1 } END { exit bad || n }' m.svg ||
    wrong 'tags of the picture do not match'
! sed 's/&\(#[0-9]*\|#x[0-9a-fA-F]*\|[a-z]*\);//g' m.svg | grep -q '&' || wrong 'a lone & in the picture'
for text in 'Third' '42 × sm' '24 walkers' 'shared by all tenants'; do
    grep -q "$text" m.svg || wrong "the picture does not say '$text'"
done
expect 0 machine -o m.png
head -c 4 m.png | grep -q 'PNG' || wrong 'no PNG picture'

# Bad usage and input. Nothing is left of a picture that fails.
refused "demx: no such preset or experiment; nearest is demo" machine demx
refused 'l3_tlb.per' machine demo --set l3_tlb.pre=none
refused '--set: .* has no value' machine --set l3_tlb.per
refused "'w2' is unexpected" machine demo w2
refused "'x.gif' is not a picture; a name that ends in .svg" machine -o x.gif
refused 'no/such/m.svg: No such file or directory' machine -o no/such/m.svg
# Runs mempath with another PATH.
with_path() {
    real=$mempath mempath=$work/wrapper path=$1
    shift
    printf '#!/bin/sh\nPATH="%s" exec "%s" "$@"\n' "$path" "$real" >"$mempath"
    chmod +x "$mempath"
    "$@"
    mempath=$real
}

with_path /none refused 'the Debian package graphviz' machine -o without.svg
with_path /none expect 0 machine -o without-dot.dot
rm without-dot.dot
mkdir bin
# shellcheck disable=SC2016 # an argument of the fake dot
printf '#!/bin/sh\necho half >"$3"\necho out of ink\nexit 3\n' >bin/dot
chmod +x bin/dot
with_path "$work/bin" expect 1 machine -o without.svg
grep -q 'dot could not draw: out of ink' "$work/err" || wrong 'the error does not say what dot said'
[ -z "$(find . -name '*.part' -o -name 'without*')" ] || wrong 'a half-made picture was left'
finished
