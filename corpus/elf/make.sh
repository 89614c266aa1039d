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
chmod -x ./*.co
