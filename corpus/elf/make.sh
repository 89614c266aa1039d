#!/bin/sh
# Makes the binaries of this directory: LLVM 14's llc and llvm-mc, and any ld.lld (LLD=path to choose one).
set -eu
cd "$(dirname "$0")"
LLD=${LLD:-ld.lld}
link() { "$LLD" -shared --strip-debug "$1" -o "$2"; rm "$1"; }
for target in 2-gfx700 2-gfx803 3-gfx900 4-gfx906 5-gfx900 4-gfx908 4-gfx1030; do
  llc -mtriple=amdgcn-amd-amdhsa -mcpu="${target#*-}" --amdhsa-code-object-version="${target%-*}" -filetype=obj kernels.ll -o tmp.o
  link tmp.o "v$target.co"
done
llc -mtriple=amdgcn-amd-amdhsa -mcpu=gfx900 --amdhsa-code-object-version=4 -filetype=obj kernels.ll -o v4-gfx900.o
cp v5-gfx900.co v6-gfx900.co
printf '\004' | dd of=v6-gfx900.co bs=1 seek=8 conv=notrunc status=none
llvm-mc -arch=amdgcn -triple=amdgcn-amd-amdhsa -mcpu=gfx906 --amdhsa-code-object-version=4 -filetype=obj core.s -o tmp.o
link tmp.o core-gfx906.co
llvm-mc -arch=amdgcn -triple=amdgcn--amdpal -mcpu=gfx900 -filetype=obj graphics.s -o pal-gfx900.o
# Calls and relocations: clang 15 for OpenCL, llvm-mc and LLD.
cl() { clang-15 -target amdgcn-amd-amdhsa -mcpu="$1" -mcode-object-version="$2" -x cl -cl-std=CL2.0 -O2 -nogpulib \
  -Xclang -finclude-default-header -Wno-everything calls.cl "$3" "$4" -o "$5"; }
cl gfx900 4 -Wl,--strip-debug -Wl,--build-id=none calls-v4-gfx900.co
cl gfx803 2 -Wl,--strip-debug -Wl,--build-id=none calls-v2-gfx803.co
cl gfx900 4 -c -Qn calls-v4-gfx900.o
asm() { llvm-mc -arch=amdgcn -triple=amdgcn-amd-amdhsa -mcpu=gfx900 --amdhsa-code-object-version=4 -filetype=obj "$@"; }
asm pointers.s -o pointers-gfx900.o
"$LLD" -shared -z notext --strip-debug pointers-gfx900.o -o pointers-gfx900.co
asm undefined.s -o tmp.o
link tmp.o undefined-gfx900.co
asm mixed.s -o mixed-gfx900.o
asm mixed.s -defsym BROKEN=1 -o broken-gfx900.o
chmod -x ./*.co
# Containers: llvm-ar 15, zstd.
cp v3-gfx900.co a-code-object-with-a-long-name.co
for format in gnu bsd; do rm -f "objects-$format.a"
  llvm-ar-15 "--format=$format" rcSD "objects-$format.a" v3-gfx900.co a-code-object-with-a-long-name.co v4-gfx1030.co core.s
done
rm -f objects-thin.a; llvm-ar-15 rcSDT objects-thin.a v3-gfx900.co
rm a-code-object-with-a-long-name.co
python3 -c '
import struct, sys
code, name = open("v3-gfx900.co", "rb").read(), b"hip-amdgcn-amd-amdhsa--gfx900"
table = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<QQQQ", 1, 4096, len(code), len(name)) + name
sys.stdout.buffer.write(table.ljust(4096, b"\0") + code)' | zstd -q -19 -f -o bundle-gfx900.hipfb.zst
