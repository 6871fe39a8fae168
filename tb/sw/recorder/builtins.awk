# SPDX-License-Identifier: Apache-2.0
# Reads the preprocessed header with the declarations of OpenCL C's built-in functions, and writes for each a function
# that calls it. Those that sw/kernels/recorder/README.md names as missing are left out: vendors' functions, atomics of
# half. So are samplers and mipmaps of images that are read and written, which clang does not declare.
BEGIN { print "#pragma OPENCL EXTENSION cl_khr_fp16 : enable" }
/overloadable/ && !/;/ { # a declaration of several lines
    while (!/;/ && (getline line) > 0)
        $0 = $0 " " line
    gsub(/  +/, " ")
}
!/overloadable/ || /intel_|amd_|arm_|atomic_half|\(volatile atomic_|read_write.*(sampler|int lod)/ { next }
{
    gsub(/__attribute__\(\([a-z_]*\)\) */, "")
    name = substr($0, 1, index($0, "(") - 1)
    sub(/.*[ *]/, "", name)
    result = substr($0, 1, index($0, name "(") - 1)
    n = split(substr($0, index($0, "(") + 1), parameter, ",")
    sub(/\);$/, "", parameter[n])
    parameters = arguments = ""
    skip = name ~ /^v(load|store)$/ # these are mistakes of the header
    for (i = 1; i <= n; i++) {
        type = parameter[i]
        if (type ~ /^ *(void *)?$/)
            continue
        if (type ~ /image/) {
            match(type, /[a-z]+_(only|write) image[0-9a-z_]*/)
            type = substr(type, RSTART, RLENGTH)
        } else if (type ~ /\*/) {
            sub(/\*.*/, "*", type)
        } else {
            sub(/^ *(const )? */, "", type)
            sub(/ .*/, "", type)
            skip = skip || (type ~ /^half/ && name ~ /^fast_/)
        }
        parameters = parameters (parameters == "" ? "" : ", ") type " a" i
        arguments = arguments (arguments == "" ? "" : ", ") "a" i
    }
    if (!skip)
        print "void call" NR "(" parameters ") { " name "(" arguments "); }"
}
