#!/bin/sh
# Installs Granary as a service of systemd, or upgrades it: sudo sh deploy/install.sh granary-cli-0.1.0.tgz
# The package is what `npm run build:packages` writes to dist; without an argument npm fetches the published one.
# sudo sh deploy/install.sh --remove removes it again, and leaves its data and its settings.
# GRANARY_ROOT=/folder installs into a tree that is not running (an image, a test): no systemd, no user is needed there.
set -eu

usage() {
  echo "usage: install.sh [package.tgz | --remove]   (as root; --help shows this)"
}
fail() {
  echo "install.sh: $1" >&2
  exit 1
}

case "${1:-}" in -h | --help)
  usage
  exit 0
  ;;
esac
[ $# -le 1 ] || { usage >&2; exit 2; }

root=${GRANARY_ROOT:-}
[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "it must run as root: sudo sh $0 ${1:-}"

if [ "${1:-}" = --remove ]; then
  if [ -z "$root" ] && [ -d /run/systemd/system ]; then
    systemctl disable --now granary || true
  fi
  rm -rf "$root/opt/granary" "$root/etc/systemd/system/granary.service"
  [ -n "$root" ] || [ ! -d /run/systemd/system ] || systemctl daemon-reload
  echo "Granary is removed. Its data ($root/var/lib/granary), its settings ($root/etc/granary) and its user are left."
  exit 0
fi

package=${1:-@granary/cli}
here=$(cd "$(dirname "$0")" && pwd)
case "$package" in
@*) ;;
*)
  [ -f "$package" ] || fail "there is no file $package"
  package=$(cd "$(dirname "$package")" && pwd)/$(basename "$package")
  ;;
esac

missing=
command -v npm >/dev/null || missing="nodejs npm"
# The Node that Granary fetches needs this library, which small systems do not have.
[ -n "$root" ] || ldconfig -p 2>/dev/null | grep -q 'libatomic\.so\.1' || missing="$missing libatomic1"
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || fail "this is missing: $missing (Node 20.3 or newer with npm is needed)"
  echo "installing $missing from Debian ..."
  # shellcheck disable=SC2086
  apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing
fi

echo "installing $package into $root/opt/granary ..."
mkdir -p "$root/opt/granary"
npm install --prefix "$root/opt/granary" --omit=dev --ignore-scripts --no-audit --no-fund "$package"
# Fetches the Node that Granary was tested with, if the one of the machine is older.
"$root/opt/granary/node_modules/.bin/granary" --version

mkdir -p "$root/etc/granary" "$root/etc/systemd/system"
[ -e "$root/etc/granary/granary.env" ] || (umask 027 && : >"$root/etc/granary/granary.env")
cp "$here/granary.service" "$root/etc/systemd/system/granary.service"
[ -z "$root" ] || { echo "installed below $root"; exit 0; }

id granary >/dev/null 2>&1 || useradd --system --home /var/lib/granary --shell /usr/sbin/nologin granary
chgrp granary /etc/granary/granary.env
if [ ! -d /run/systemd/system ]; then
  echo "installed; systemd does not run here: start it with /opt/granary/node_modules/.bin/granary serve"
  exit 0
fi
systemctl daemon-reload
systemctl enable granary
systemctl restart granary
echo "Granary runs. Its addresses: journalctl -u granary -n 20. Its settings: /etc/granary/granary.env."
