#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The console without a person: characters from a file or a pipe, and scripts. $2 is the folder of the images.
images=$(realpath "$2")
. "$(dirname "$0")/../cli/lib.sh"

# The included image's console, from a pipe.
printf '\nspaces\nhelp\nquit\n' >lines
code=0
"$mempath" firmware run --input - <lines >out 2>err || code=$?
[ "$code" = 0 ] || wrong "a pipe: exit code $code"
says '^> spaces'
says 'this list'
says '^done$'
cp out piped
expect 0 firmware run --input lines
cmp out piped || wrong 'a pipe and a file differ'

cat >dialogue <<'SCRIPT'
# opens the console
send "\n"
wait "> "
send help
wait this list within 100ms
pause 2ms
send quit
wait done
SCRIPT
expect 0 firmware run --script dialogue --json
json "j ->> 'console' LIKE '%this list%done%'" 1
first=$(sqlite3 "$MEMPATH_DB" 'SELECT instructions FROM firmware ORDER BY run DESC LIMIT 1')
expect 0 firmware run --script dialogue --quiet
[ "$(sqlite3 "$MEMPATH_DB" 'SELECT instructions FROM firmware ORDER BY run DESC LIMIT 1')" = "$first" ] || wrong 'two runs differ'

# An answer that never comes, a run that ends before the script, and firmware that polls while the script has steps left.
printf 'send "\\n"\nwait "no such answer" within 5ms\n' >late
expect 1 firmware run --script late
grep -q "late:2: the console has not printed 'no such answer' within 5000 us" err || wrong 'not late'
[ "$(sqlite3 "$MEMPATH_DB" 'SELECT nanoseconds BETWEEN 5000000 AND 6000000 FROM firmware ORDER BY run DESC LIMIT 1')" = 1 ] ||
    wrong 'it ended at another time'
printf 'wait hello\nwait more\n' >more
expect 1 firmware run "$images/hello.elf" --script more
grep -q 'more:2: the run has ended before this step has' err || wrong 'the rest of the script was not missed'
printf 'pause 3ms\nsend "abc"\nwait bcd\npause 20us\nsend "q"\nwait r\n' >key
expect 0 firmware run "$images/echo.elf" --script key
[ "$(cat out)" = bcdr ] || wrong "the answers are $(cat out)"
printf 'pause 3ms\nsend "x"\n' >key
expect 0 firmware run "$images/polls.elf" --script key

refused 'no steps; send TEXT' firmware run --script /dev/null
refused 'one of both' firmware run --script dialogue --input lines
refused 'a terminal types itself' firmware run --input lines --uart pty
refused 'a readable file' firmware run --input none
finished
