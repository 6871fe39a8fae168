#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Plugins that cannot be loaded, and folders that cannot be written: a line each that says what is allowed.
. "$(dirname "$0")/lib.sh"

one() { shared "$here/one.c" one.so "$@"; }
refuses() { # pattern, options of the compiler
    pattern=$1
    shift
    one "$@"
    refused "--plugin one.so: $pattern" params --plugin one.so
}

# One that is accepted, wherever the option is.
one
expect 0 params sm.scheduler --plugin one.so
says 'gto|.*|one'
expect 0 --plugin one.so params sm.scheduler --plugin=./one.so
says 'gto|.*|one'
expect 0 params --help
says '--plugin=FILE.so'
expect 2 params sm.scheduler --plug one.so
refused '--plugin: the option is abbreviated; --plugin FILE.so' params --plug one.so
refused '--plugin: needs a value' params --plugin
refused '--plugin: unknown option' query --plugin one.so
expect 0 replay walks --plugin one.so --help

# The file.
echo 'no object' >text.so
: >empty.so
refused '--plugin none.so: No such file or directory; a shared object with designs' run --plugin none.so
refused '--plugin empty.so: empty; a shared object' run --plugin empty.so
refused '--plugin text.so: .*; a shared object with designs' run --plugin text.so
refused '--plugin .: Is a directory; a shared object' run --plugin .
for bytes in 40 100 2000 8000; do
    head -c $bytes one.so >cut.so
    refused '--plugin cut.so: .*; a .*shared object with designs' run --plugin cut.so
done
refuses 'it has no symbol mempath_plugin; engine/plugin.h' -DSYMBOL=other
refuses 'it was built for another mempath; rebuild it with the headers of this one, revision [0-9a-f]' -DINTERFACE='"0"'
refuses 'it was built for another mempath' -DINTERFACE=NULL
refuses "the plugin is named ''; up to 31 of a to z" -DPLUGIN=NULL
refuses "the plugin is named 'my plugin'; up to 31" -DPLUGIN='"my plugin"'
refuses 'it has neither designs nor modules; one of them' -DDESIGNS=
one -DDESIGNS= -DMODULES='(void *)free' -include stdlib.h
expect 0 params --plugin one.so

# Its designs.
refuses "'tlb' is no kind of design; address_map, .*, tlb_policy" -DKIND='"tlb"'
refuses 'a warp_scheduler is NULL; a struct mp_warp_scheduler' -DDESIGNS='{KIND, NULL},'
refuses "'' is no name of a design" -DNAME=NULL
refuses "'One' is no name of a design" -DNAME='"One"'
refuses 'gto: there is a warp_scheduler of this name; another name' -DNAME='"gto"'
refuses 'dws: there is a walk_scheduler of this name' -DNAME='"dws"'
refuses 'walk: a configuration has this key already' -DNAME='"walk"'
refuses 'tenants: a configuration has this key already' -DNAME='"tenants"'
refuses 'one: there is a warp_scheduler of this name' -DDESIGNS='{KIND, &design}, {KIND, &design},'
refuses 'one: no title' -DTITLE=NULL
refuses 'one: 9 parameters; at most 8' -DPARAMS='NUMBER("a") NUMBER("b") NUMBER("c") NUMBER("d") NUMBER("e") NUMBER("f") NUMBER("g") NUMBER("h") NUMBER("i")'
refuses "one: parameter 'A': not a name" -DPARAMS='NUMBER("A")'
refuses 'one: parameter a: no source or no text' -DPARAMS='{"a", "times", NULL, 1, 0, 9, NULL, "a number", 0},'
refuses 'one: .owners: no design of the kind has this parameter' -DPARAMS=SHARED
one -DPARAMS=SHARED -DKIND='"walk_scheduler"' -DDESIGNS='{KIND, &any},'
expect 0 params walk.owners --plugin one.so
[ "$(wc -l <out)" = 2 ] || wrong 'a shared parameter is there twice'
refuses 'one: its default: a: 1 is too large; 0 to 0' -DPARAMS='{"a", "times", NULL, 1, 0, 0, "test", "a number", 0},'

# Functions that a design of its kind has. A design with its name only is refused for the first; with that one for the
# next, and so on.
needs() { # kind, header, functions that it has from the beginning; prints the others in the order in which they are named
    has='' all=''
    for function in $3; do has="$has, .$function = (void *)none"; done
    while :; do
        cat >lacks.c <<END
#include "engine/plugin.h"
#include "$2"
void none(void)
{
}
static const struct mp_$1 d = {.design = {.name = "d", .title = "t"}$has};
static const struct mp_plugin_design designs[] = {{"$1", &d}, {0}};
const struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "lacks", designs, NULL};
END
        shared lacks.c lacks.so
        "$mempath" params --plugin lacks.so >out 2>err && break
        function=$(sed -n "s/^mempath: --plugin lacks.so: d: its function \\([a-z_]*\\) is NULL; a $1\\( with [a-z_]*\\)* has one$/\\1/p" err)
        case " $all " in *" $function "*) wrong "$1: $(cat err)" ;; esac
        all="$all $function" has="$has, .$function = (void *)none"
    done
    echo "${all# }"
}
have() { # functions, kind, header, functions that it has from the beginning
    got=$(needs "$2" "$3" "${4:-}") || exit 1
    [ "$got" = "$1" ] || wrong "a $2 needs $got, not $1"
}
have 'bytes init lookup peek insert invalidate_page invalidate_asid invalidate_all occupancy ways each_entry rank' \
    tlb_policy tlb/policy.h
have 'bytes init lookup peek insert invalidate_page invalidate_asid invalidate_all occupancy ways each_entry rank bypass may_fill' \
    tlb_policy tlb/policy.h asked
have 'bytes init arrive room complete take queue' walk_scheduler walk/scheduler/scheduler.h
have 'bytes init arrive room complete take queue set_owners set_tenants' walk_scheduler walk/scheduler/scheduler.h owner
have 'begin next again' walk_method walk/method/method.h
have 'begin next again joins' walk_method walk/method/method.h answers
have 'pick' warp_scheduler sm/scheduler.h
have 'place ended next' dispatch_policy sm/dispatch/dispatch.h
have 'place channel row' address_map map/map.h
have 'init free take_pages take_table give_page' frame_allocator vm/frames/allocator.h
have 'ask' neighbour_policy tlb/neighbour/neighbour.h
have 'stores' neighbour_update tlb/neighbour/neighbour.h

# Several plugins: their names, their room.
one
cp one.so again.so
printf 'x' >>again.so
refused '--plugin again.so: there is a plugin one already, .*/one.so; another name' params --plugin one.so --plugin again.so
options=''
for i in 1 2 3 4 5 6 7 8 9; do
    shared "$here/one.c" "p$i.so" -DPLUGIN="\"p$i\"" -DNAME="\"d$i\""
    options="$options --plugin p$i.so"
done
# shellcheck disable=SC2086 # words
expect 0 params sm.scheduler ${options% --plugin p9.so}
says '|d1|d2|d3|d4|d5|d6|d7|d8$\||d1|d2|d3|d4|d5|d6|d7|d8 '
# shellcheck disable=SC2086 # words
refused '--plugin p9.so: no room; 8 plugins at most' params $options
many() { # designs, parameters of each
    printf '#include "engine/plugin.h"\n#include "sm/scheduler.h"\nstatic const struct mp_design_param params[] = {\n'
    for p in $(seq "$2"); do printf '{"p%s", "times", NULL, 0, 0, 9, "test", "a number", 0},\n' "$p"; done
    printf '{0}};\nstatic unsigned pick(uint64_t ready, const uint64_t *age, unsigned last, bool same_warp)\n'
    printf '{\n(void)last;\n(void)same_warp;\nreturn mp_oldest_warp(ready, age);\n}\n'
    printf 'static const struct mp_warp_scheduler of[] = {\n'
    for d in $(seq "$1"); do printf '{.design = {.name = "d%s", .title = "none", .params = params}, .pick = pick},\n' "$d"; done
    printf '};\nstatic const struct mp_plugin_design designs[] = {\n'
    for d in $(seq "$1"); do printf '{"warp_scheduler", &of[%s]},\n' $((d - 1)); done
    printf '{0}};\nconst struct mp_plugin mempath_plugin = {MP_PLUGIN_INTERFACE, "many", designs, NULL};\n'
}
many 9 1 >many.c
shared many.c many.so
refused '--plugin many.so: d9: no room; plugins add 8 designs of a kind at most' params --plugin many.so
many 8 8 >many.c
shared many.c many.so
shared "$here/one.c" a.so -DPARAMS='NUMBER("a")' -DKIND='"walk_method"' -DDESIGNS='{KIND, &any},'
expect 0 params d8 --plugin many.so
[ "$(wc -l <out)" = 9 ] || wrong 'd8 has not eight parameters'
refused '--plugin a.so: one: no room for its parameters; plugins have 64 at most' params --plugin many.so --plugin a.so

# mempath plugin new.
refused 'plugin: words are missing; new KIND NAME' plugin
refused 'plugin: words are missing; new KIND NAME' plugin new tlb_policy
refused "plugin: unknown action 'old'; new" plugin old
refused "plugin: 'x' is unexpected" plugin new tlb_policy mine folder x
refused "plugin new: 'tlb' is no kind of design; tlb_policy, prefetcher, walk_scheduler," plugin new tlb mine
refused 'plugin new: star: there is a tlb_policy of this name' plugin new tlb_policy star
refused "plugin new: '../x' is no name of a design" plugin new tlb_policy ../x
mkdir there
refused 'there: File exists; the name of a new folder' plugin new tlb_policy mine there
refused 'none/mine: No such file or directory; the name of a new folder' plugin new tlb_policy mine none/mine
finished
