# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For the tests of plugins: compiles them with the headers that pkg-config finds in the program's folder.
here=$(realpath "$(dirname "$0")")
. "$here/../lib.sh"
PKG_CONFIG_PATH=$(dirname "$mempath")/pkgconfig
export PKG_CONFIG_PATH

shared() { # file of C, plugin, options of the compiler
    source=$1 object=$2
    shift 2
    # shellcheck disable=SC2046 # words
    cc -std=gnu11 -Wall -Wextra -Werror -fPIC -shared $(pkg-config --cflags mempath-plugin) "$@" "$source" -o "$object" ||
        wrong "$source cannot be compiled"
}

modules() { # file of C++, plugin, options of the compiler
    source=$1 object=$2
    shift 2
    # shellcheck disable=SC2046 # words
    c++ -std=c++17 -Wall -Wextra -Werror -fPIC -shared $(pkg-config --cflags mempath-plugin systemc) "$@" "$source" \
        -o "$object" $(pkg-config --libs systemc) || wrong "$source cannot be compiled"
}
