#!/bin/sh
# Compiles OpenCL C that prints, with clang 15 and the device libraries of Debian (clang-15, llvm-15, lld-15,
# rocm-device-libs): compile-printf.sh SOURCE.cl OUT.co [PROCESSOR]
#
# clang puts the format strings into the object only for pointers with types, and the libraries have pointers without.
# So clang compiles without the libraries, opt rewrites the pointers, and llvm-link adds the libraries. Other places:
# CLANG, OPT, LLVM_LINK, DEVICE_LIBS.
set -e
if [ $# -lt 2 ]; then
    echo "usage: $0 SOURCE.cl OUT.co [PROCESSOR]" >&2
    exit 2
fi
processor=${3:-gfx900}
libs=${DEVICE_LIBS:-/usr/lib/x86_64-linux-gnu/amdgcn/bitcode}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"${CLANG:-clang-15}" -target amdgcn-amd-amdhsa -mcpu="$processor" -x cl -cl-std=CL2.0 -Xclang -finclude-default-header \
    -O2 -nogpulib -emit-llvm -Xclang -no-opaque-pointers -c "$1" -o "$folder/typed.bc"
"${OPT:-opt-15}" -opaque-pointers "$folder/typed.bc" -o "$folder/opaque.bc"
"${LLVM_LINK:-llvm-link-15}" --only-needed "$folder/opaque.bc" "$libs/opencl.bc" "$libs/ocml.bc" "$libs/ockl.bc" \
    "$libs/oclc_isa_version_${processor#gfx}.bc" "$libs/oclc_abi_version_400.bc" \
    "$libs/oclc_wavefrontsize64_on.bc" "$libs/oclc_daz_opt_off.bc" "$libs/oclc_finite_only_off.bc" \
    "$libs/oclc_unsafe_math_off.bc" "$libs/oclc_correctly_rounded_sqrt_on.bc" -o "$folder/linked.bc"
"${CLANG:-clang-15}" -target amdgcn-amd-amdhsa -mcpu="$processor" -nogpulib -O2 -x ir "$folder/linked.bc" -o "$2"
