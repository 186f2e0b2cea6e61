#!/usr/bin/env bash
# From a bare Debian 12 with a CUDA Toolkit to a first look: installs what is missing, builds, compiles the kernels of
# the worked example and shows what graphd proves about them. It runs no graph: see "What works" in the README.
# Usage: deploy/quickstart.sh
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
  sed -n '2,4s/^# //p' "$0"
  case "$1" in
    -h | --help) exit 0 ;;
    *) echo "error: unknown argument \"$1\": expected none" >&2; exit 2 ;;
  esac
fi

say() { printf '\n== %s\n' "$*"; }

say "packages and CUDA Toolkit"
./deploy/install_packages.sh build
. ./deploy/cuda_toolkit.sh
echo "CUDA Toolkit: $CUDA_HOME"

say "build (release)"
cmake --preset release >/dev/null
cmake --build --preset release --target graphctl -- --quiet
graphctl=$PWD/build/release/bin/graphctl

say "what graphd sees in the kernels of relu -> scale"
"$graphctl" inspect docs/examples/relu_scale/kernels.cu

say "an input for them, and its first values"
scratch=$(mktemp -d "${TMPDIR:-/tmp}/graphd-quickstart.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
"$graphctl" tensor random --shape 1048576 --dtype f32 --low -1 --high 1 --seed 1 -o "$scratch/x.npy"
"$graphctl" tensor show "$scratch/x.npy"
