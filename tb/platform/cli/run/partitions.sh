#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ways to share a GPU's SMs: what persistent threads add is no part of a tenant's results, a tenant alone keeps its
# share, and a kernel that waits for its turn ends later.
. "$(dirname "$0")/../lib.sh"

pair='--set tenants.0.app=GUPS --set tenants.1.app=JPEG --set tenants.size=small --quiet'
ask() { sqlite3 "$MEMPATH_DB" "$1"; }
cycles() { ask "SELECT cycles FROM tenant WHERE run = $1 AND tenant = $2"; }

# shellcheck disable=SC2086 # the arguments are words
{
    expect 0 run fgpu-gtx1080 $pair
    expect 0 run fgpu-gtx1080 $pair --set machine.dispatch=persistent
    expect 0 run fgpu-v100 $pair --set machine.sharing=threads
    expect 0 run fgpu-v100 $pair --set machine.sharing=timeslice
    expect 0 run fgpu-v100 --set tenants.0.app=GUPS --set tenants.0.sms=40 --set tenants.size=small --quiet \
        --set machine.sharing=threads
}
for tenant in 0 1; do
    sum="SELECT instructions || ' ' || accesses FROM tenant WHERE tenant = $tenant AND run = "
    [ "$(ask "$sum 1")" = "$(ask "$sum 2")" ] || wrong 'persistent threads change what is counted of the trace'
    [ "$(ask "SELECT value > 0 FROM metrics WHERE run = 2 AND metric = 'pops' AND component = 'gpu.tenant$tenant.persistent'")" = 1 ] ||
        wrong "no pops of tenant $tenant"
done
[ "$(cycles 4 1)" -gt "$(cycles 3 1)" ] || wrong 'a kernel that waits for its turn ends as early as one that does not'
[ "$(ask "SELECT value FROM parameter WHERE run = 3 AND path = 'machine.sharing'")" = threads ] || wrong 'not recorded'
# An SM of the V100 holds warps of both tenants.
[ "$(ask "SELECT count(*) FROM (SELECT component FROM metrics WHERE run = 3 AND metric = 'issued' AND value > 0
    GROUP BY component HAVING count(DISTINCT tenant) = 2)")" -gt 0 ] || wrong 'no SM ran both tenants'
finished
