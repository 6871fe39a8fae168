#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the manual page and the completion that the program prints, and the package's changelog, to a folder:
# documents.sh MEMPATH CHANGELOG FOLDER
set -eu
"$1" help --bash >"$3/mempath.bash"
"$1" help --man >"$3/mempath.1"
gzip -9n <"$3/mempath.1" >"$3/mempath.1.gz"
gzip -9n <"$2" >"$3/changelog.gz"
