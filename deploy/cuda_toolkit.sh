# Sourced: finds the CUDA Toolkit and exports CUDA_HOME, or says what is missing and ends the script.
for candidate in "${CUDA_HOME:-}" /usr/local/cuda $(ls -d /usr/local/cuda-* 2>/dev/null | sort -Vr); do
  if [ -n "$candidate" ] && [ -f "$candidate/include/cuda.h" ]; then
    export CUDA_HOME="$candidate"
    break
  fi
done
if [ -z "${CUDA_HOME:-}" ] || [ ! -f "$CUDA_HOME/include/cuda.h" ]; then
  echo "error: no CUDA Toolkit: expected include/cuda.h under CUDA_HOME or /usr/local/cuda" >&2
  exit 1
fi
