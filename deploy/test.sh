#!/usr/bin/env bash
# Installs what is missing, builds everything and runs every test; ctest's summary comes last.
# Usage: deploy/test.sh [ctest arguments]     e.g. deploy/test.sh -R ptx
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n== %s\n' "$*"; }

say "packages and CUDA Toolkit"
./deploy/install_packages.sh build test
. ./deploy/cuda_toolkit.sh
if ! command -v npm >/dev/null; then
  # Only where Node.js is absent: Debian's npm conflicts with others.
  (cd deploy && ./install_packages.sh node)
fi
buf_version=1.75.0
if [ "$(cat build/tools/buf.version 2>/dev/null)" != "$buf_version" ]; then
  mkdir -p build/tools
  npm install --silent --no-fund --no-audit --prefix build/tools "@bufbuild/buf@$buf_version" >/dev/null
  echo "$buf_version" >build/tools/buf.version
fi

say "build (release)"
cmake --preset release >/dev/null
cmake --build --preset release -- --quiet

say "build (fuzz targets, clang)"
cmake -S . -B build/fuzz -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGRAPHD_CORE_ONLY=ON -DGRAPHD_FUZZ=ON \
  -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19 >/dev/null
cmake --build build/fuzz --target graphd_fuzz_targets -- --quiet

say "test"
exec ctest --preset release "$@"
