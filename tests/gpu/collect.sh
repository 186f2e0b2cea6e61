#!/usr/bin/env bash
# Gathers what tests/gpu/run.sh needs on a machine with a GPU and nothing else: programs, the shared libraries that
# they use beyond the C library's own, and NVRTC.
# Usage: tests/gpu/collect.sh [BUILD_FOLDER [DESTINATION]]
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${1:-build/release}
out=${2:-build/gpu}
. ./deploy/cuda_toolkit.sh

rm -rf "$out"
mkdir -p "$out/bin" "$out/lib" "$out/include"
programs=("$build/tests/conformance_suite" "$build/tests/equality_test" "$build/tests/random_equality_test"
  "$build/bin/bench_launch")
for program in "${programs[@]}"; do
  cp "$program" "$out/bin/"
  ldd "$program" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -vE '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' |
    while read -r library; do cp -nL "$library" "$out/lib/"; done
done
cp -L "$CUDA_HOME"/lib64/libnvrtc.so.1? "$CUDA_HOME"/lib64/libnvrtc-builtins.so.1?.* "$out/lib/"
cp tests/gpu/run.sh "$out/"
cp -r docs/examples "$out/"
du -sh "$out" | cut -f1
