#!/usr/bin/env bash
# Runs fuzz targets, one after the other: fuzz/run_all.sh SECONDS TARGET... It needs no cargo-fuzz and no nightly
# compiler: the flags are those that cargo-fuzz gives, with AddressSanitizer, overflow checks and debug assertions.
# Inputs that fail are left in fuzz/artifacts/TARGET.
set -euo pipefail
cd "$(dirname "$0")"
seconds=$1
shift

export RUSTC_BOOTSTRAP=1 ASAN_OPTIONS=detect_leaks=0
RUSTFLAGS="--cfg fuzzing -Zsanitizer=address -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4"
for option in inline-8bit-counters pc-table trace-compares; do
    RUSTFLAGS+=" -Cllvm-args=-sanitizer-coverage-$option"
done
export RUSTFLAGS+=" -Cllvm-args=-simplifycfg-branch-fold-threshold=0"
settings=()
for package in gcnsim gcnsim-isa gcnsim-machine gcnsim-fuzz; do
    settings+=(--config "profile.release.package.$package.debug-assertions=true")
    settings+=(--config "profile.release.package.$package.overflow-checks=true")
done
# Debug assertions would have Cranelift verify all that it compiles.
settings+=(--config profile.release.package.gcnsim-jit.overflow-checks=true)
target=$(rustc -vV | sed -n 's/^host: //p')
cargo build --release --target "$target" "${settings[@]}" $(printf -- '--bin %s ' "$@")

for name in "$@"; do
    mkdir -p "corpus/$name" "artifacts/$name"
    "${CARGO_TARGET_DIR:-target}/$target/release/$name" "corpus/$name" "seeds/$name" -max_total_time="$seconds" \
        -max_len=8192 -timeout=20 -rss_limit_mb=4096 -artifact_prefix="artifacts/$name/" -print_final_stats=1
done
