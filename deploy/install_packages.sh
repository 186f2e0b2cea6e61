#!/usr/bin/env bash
# Installs the Debian packages of the named sections of packages.txt that are missing; does nothing when none is.
# Usage: deploy/install_packages.sh build [test]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

wanted() {  # packages of one section
  awk -v section="[$1]" '
    /^\[/ { inside = ($0 == section); next }
    inside && NF && $0 !~ /^#/ { print $1 }' "$here/packages.txt"
}

missing=()
for section in "$@"; do
  for package in $(wanted "$section"); do
    if ! dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed; then
      missing+=("$package")
    fi
  done
done
if [ ${#missing[@]} -eq 0 ]; then
  exit 0
fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || {
    echo "error: these packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2
    exit 1
  }
  as_root=(sudo)
fi
echo "installing ${#missing[@]} packages: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
