#!/bin/sh
# usage: nvcc.sh NVCC FILE.cu...
# NVIDIA's compiler takes the kernels of the tests, and what `mempath chase --cuda` writes, without a warning.
[ -x "$1" ] || { echo 'no nvcc'; exit 77; }
nvcc=$1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$nvcc" --version | tail -2
for file; do
    "$nvcc" -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 \
        -Werror all-warnings -c "$file" -o "$work/out.o" || { echo "$file: nvcc refuses it"; exit 1; }
done
