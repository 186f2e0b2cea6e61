#!/usr/bin/env bash
# On a machine with a GPU: the conformance suite on libcuda, the executors' equality tests on it, and the benchmarks
# against bare driver calls. Every part has a time limit; together they stay under six minutes.
# Usage: run.sh [RESULTS_FOLDER]     from the folder that collect.sh made
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/results}
mkdir -p "$out"
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export GRAPHD_EXAMPLES="$here/examples"
failed=0

part() {  # name, seconds, command…
  local name=$1 limit=$2
  shift 2
  local start=$SECONDS
  if timeout "$limit" "$@" >"$out/$name.log" 2>&1; then
    echo "pass  $name  $((SECONDS - start)) s"
  else
    echo "FAIL  $name  exit $?  $((SECONDS - start)) s"
    tail -n 40 "$out/$name.log"
    failed=1
  fi
}

nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/device.txt"
part conformance 120 "$here/bin/conformance_suite" --gtest_filter='*Libcuda*'
part equality 90 "$here/bin/equality_test" --gtest_filter='*Libcuda*'
part random_equality 60 "$here/bin/random_equality_test" --gtest_filter='*Libcuda*'
for nodes in 1 32 1000; do
  part "bench_launch_$nodes" 20 "$here/bin/bench_launch" --provider libcuda --nodes "$nodes" --json
  cat "$out/bench_launch_$nodes.log"
done
exit "$failed"
