#!/usr/bin/env bash
# From a bare Debian 12 with a CUDA Toolkit to a right answer: installs what is missing, builds, starts graphd,
# runs the worked example relu -> scale on a million floats, checks the answer, shows the plan, stops graphd.
# Usage: deploy/quickstart.sh [--keep]     --keep leaves graphd running
set -euo pipefail
cd "$(dirname "$0")/.."

keep=false
for argument in "$@"; do
  case "$argument" in
    --keep) keep=true ;;
    -h | --help) sed -n '2,4s/^# //p' "$0"; exit 0 ;;
    *) echo "error: unknown argument \"$argument\": expected --keep" >&2; exit 2 ;;
  esac
done

say() { printf '\n== %s\n' "$*"; }

say "packages and CUDA Toolkit"
./deploy/install_packages.sh build
. ./deploy/cuda_toolkit.sh
echo "CUDA Toolkit: $CUDA_HOME"

say "build (release)"
if [ ! -f build/release/build.ninja ]; then
  cmake --preset release >build-configure.log 2>&1 || { cat build-configure.log >&2; exit 1; }
  rm -f build-configure.log
fi
cmake --build --preset release --target graphd graphd-compiler graphd-worker graphctl -- --quiet
bin=$PWD/build/release/bin

scratch=$(mktemp -d "${TMPDIR:-/tmp}/graphd-quickstart.XXXXXX")
daemon=
finish() {
  if ! $keep || [ -z "$daemon" ]; then
    [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null && wait "$daemon" 2>/dev/null; } || true
    rm -rf "$scratch"
  fi
}
trap finish EXIT

say "start graphd"
"$bin/graphd" --listen "unix:$scratch/graphd.sock" --state "$scratch/state" \
  --ready-file "$scratch/ready.json" 2>"$scratch/graphd.log" &
daemon=$!
for _ in $(seq 200); do
  [ ! -f "$scratch/ready.json" ] || break
  kill -0 "$daemon" 2>/dev/null || { cat "$scratch/graphd.log" >&2; daemon=; exit 1; }
  sleep 0.05
done
[ -f "$scratch/ready.json" ] || { echo "error: graphd was not ready after 10 s" >&2; cat "$scratch/graphd.log" >&2; exit 1; }
export GRAPHD_ENDPOINT="unix:$scratch/graphd.sock"
"$bin/graphctl" get devices

say "submit relu -> scale, and run it on 1,048,576 floats"
"$bin/graphctl" tensor random --shape 1048576 --dtype f32 --low -1 --high 1 --seed 1 -o "$scratch/x.npy"
"$bin/graphctl" apply docs/examples/relu_scale/graph.textproto --name relu_scale
"$bin/graphctl" run relu_scale --in "x=$scratch/x.npy" --set a=0.5 --out "y=$scratch/y.npy"

say "check y = 0.5 * max(x, 0), bit for bit, without graphd"
/usr/bin/python3 deploy/check_relu_scale.py "$scratch/x.npy" "$scratch/y.npy" 0.5

say "the plan: how it ran"
"$bin/graphctl" explain relu_scale

if $keep; then
  say "graphd keeps running: process $daemon"
  echo "export GRAPHD_ENDPOINT=$GRAPHD_ENDPOINT"
  echo "files: $scratch    stop it with: kill $daemon"
  exit 0
fi
say "stop graphd"
kill "$daemon"
wait "$daemon"
daemon=
echo "graphd ended cleanly. Next: docs/your_own_kernel.md"
