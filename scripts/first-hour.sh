#!/bin/bash
# A newcomer's first hour with the packed packages, for each given Node: create, install, then without a network generate,
# check types, test, dev with and without a terminal, render, build. In a folder with a space in its path; as root with --as-root,
# otherwise as a user without an account. Needs root (to switch users and disable the network), Linux, and a package registry.
#
#   scripts/first-hour.sh [--as-root] NODE...      for example: scripts/first-hour.sh "$(command -v node)" /opt/node-26/bin/node
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
user=54321
[ "${1:-}" = --as-root ] && user=0 && shift
[ $# -gt 0 ] || { echo "usage: $0 [--as-root] NODE..." >&2; exit 2; }
work=$(mktemp -d /tmp/kubewright-hour-XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/packs"
node "$repository/scripts/build.mjs"
for package in "$repository"/packages/*/; do (cd "$package" && npm pack --silent --pack-destination "$work/packs" >/dev/null); done
npm=$(readlink -f "$(command -v npm)")
npm_config_registry=$(npm config get registry 2>/dev/null)
export work npm_config_registry npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false

# Versions that no registry has are taken from the tarballs.
cat >"$work/use-tarballs.mjs" <<'JS'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const packs = `${process.env.work}/packs`;
const nameOf = (file) => file.replace(/-\d.*$/, '').replace(/^kubewright-/, '@kubewright/');
const tarballs = Object.fromEntries(readdirSync(packs).map((file) => [nameOf(file), `file:${packs}/${file}`]));
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const groups = [manifest.dependencies, manifest.devDependencies];
for (const group of groups) for (const name of Object.keys(group)) group[name] = tarballs[name] ?? group[name];
const others = Object.entries(tarballs).filter(([name]) => !groups.some((group) => name in group));
writeFileSync('package.json', JSON.stringify({ ...manifest, overrides: Object.fromEntries(others) }, null, 2));
JS

cat >"$work/install.sh" <<'SH'
set -euo pipefail
packages=(); for file in "$work"/packs/*.tgz; do packages+=("--package=$file"); done
npm exec --yes "${packages[@]}" -- create-kubewright shop --yes >/dev/null
cd shop
node "$work/use-tarballs.mjs"
npm install --prefer-offline >/dev/null 2>&1
SH

cat >"$work/use.sh" <<'SH'
set -euo pipefail
cd shop
# Arguments: name of the step, pattern that its output must match, command.
step() {
  local name=$1 pattern=$2 output
  output=$("${@:3}" 2>&1) || { printf '%s\n  FAILED  %s\n' "$output" "$name"; exit 1; }
  grep -q -- "$pattern" <<<"$output" || { printf '%s\n  NOT FOUND  %s: %s\n' "$output" "$name" "$pattern"; exit 1; }
  printf '  ok  %s\n' "$name"
}
step generate '✓ generated' npm run -s generate
step typecheck '' npm run -s typecheck
step test '1 passed' npm test
step 'dev --ci' '✓ ready  *Shop shop-sample' npx --no-install kubewright dev --ci
step render 'kind: ConfigMap' npx --no-install kubewright render config/samples/shop_v1_shop.yaml
step build 'dist/install.yaml' npm run -s build
mkfifo keys
script -qefc "npm run -s dev; stty -a | grep -o -e '-*icanon'" /dev/null <keys >seen &
exec 3>keys
for _ in $(seq 300); do grep -q 'controller shop started' seen && break; sleep 0.2; done
printf a >&3
for _ in $(seq 300); do grep -q '+ ConfigMap shop-sample-shop-message' seen && break; sleep 0.2; done
printf q >&3
wait $!
exec 3>&-
step 'dev at a terminal' '+ ConfigMap shop-sample-shop-message' cat seen
step 'the terminal is as before' '^icanon' tail -1 seen
SH

for node in "$@"; do
  home="$work/a newcomer"
  mkdir -p "$home/bin"
  cp "$node" "$home/bin/node"
  printf '#!/bin/sh\nexec "%s/bin/node" "%s" "$@"\n' "$home" "$npm" >"$home/bin/npm"
  printf '#!/bin/sh\nexec "%s/bin/node" "%s" "$@"\n' "$home" "$(dirname "$npm")/npx-cli.js" >"$home/bin/npx"
  chmod +x "$home/bin/"*
  chown -R "$user" "$home"
  echo "Node $("$home/bin/node" --version), user $user"
  as=(env -u KUBECONFIG HOME="$home" PATH="$home/bin:/usr/bin:/bin" work="$work" TERM="${TERM:-dumb}" LANG=C.UTF-8
    npm_config_registry="$npm_config_registry" npm_config_update_notifier=false npm_config_fund=false npm_config_audit=false
    setpriv --reuid="$user" --regid="$user" --clear-groups)
  cd "$home"
  "${as[@]}" bash "$work/install.sh"
  unshare -n sh -c 'ip link set lo up && exec "$@"' - "${as[@]}" bash "$work/use.sh"
  cd /
  rm -rf "$home"
done
