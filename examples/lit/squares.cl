// REQUIRES: gcnsim-gfx900, device-libs
// RUN: %clang-cl %s -o %t.co
// RUN: %gcnsim %t.co --kernel squares --grid 8 --group 8 --arg out=32:%t.bin --sanitize
// RUN: od -An -td4 %t.bin | tr -s ' \n' '  ' | grep -x ' 0 1 4 9 16 25 36 49 '
kernel void squares(global int *out) { int i = get_global_id(0); out[i] = i * i; }
