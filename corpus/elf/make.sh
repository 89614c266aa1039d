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
llc -mtriple=amdgcn-- -mcpu=gfx803 -filetype=obj driver.ll -o driver-gfx803.o
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
# Shaders of drivers: llc 15. The registers are those that a driver's compiler adds: user data and the size of groups.
shader() { # target, generation, the half of addresses that 32-bit pointers lack, metadata, name
  { sed "s/HIGH/$3/" shaders.ll; printf '%s\n' "$4"; } | llc-15 -mtriple="$1" -mcpu="$2" -filetype=obj -o "$5"
}
pairs=$(python3 -c '
pairs = [(0x2c0b, 4), (0x2c0c, 1 << 28), (0x2c0d, 0), (0x2c4b, 6), (0x2c4c, 1 << 28), (0x2c4d, 1), (0x2c4e, 0x10000003),
         (0x2e13, 2 << 1 | 7 << 7 | 1 << 11), (0x2e07, 8), (0x2e08, 8), (0x2e09, 1), (0x2e40, 1 << 28), (0x2e41, 0)]
print("!amdgpu.pal.metadata = !{!2}\n!2 = !{" + ", ".join(f"i32 {n}" for pair in pairs for n in pair) + "}")')
packed=$(python3 -c '
import re, struct, sys
numbers = [int(n) for n in re.findall(r"i32 (\d+)", sys.argv[1])]
text = lambda s: bytes([0xa0 + len(s)]) + s.encode()
packed = b"\x81" + text("amdpal.pipelines") + b"\x91\x81" + text(".registers") + bytes([0x80 + len(numbers) // 2])
packed += b"".join(b"\xce" + struct.pack(">I", n) for n in numbers)
print("!amdgpu.pal.metadata.msgpack = !{!2}\n!2 = !{!\"" + "".join(f"\\{byte:02x}" for byte in packed) + "\"}")' "$pairs")
shader amdgcn--amdpal gfx900 0xffff8000 "$packed" shaders-pal-gfx900.o
shader amdgcn--amdpal gfx700 0 "$pairs" shaders-pal-pairs-gfx700.o
shader amdgcn-mesa-mesa3d gfx803 0 "" shaders-mesa-gfx803.o
shader amdgcn-mesa-mesa3d gfx600 0 "" shaders-mesa-gfx600.o
llc-15 -mtriple=amdgcn--amdpal -mcpu=gfx900 -filetype=obj constants.ll -o constants-pal-gfx900.o
llc-15 -mtriple=amdgcn-mesa-mesa3d -mcpu=gfx803 -filetype=obj constants.ll -o constants-mesa-gfx803.o
llc-15 -mtriple=amdgcn-mesa-mesa3d -mcpu=gfx900 -filetype=obj lds.ll -o lds-mesa-gfx900.o
