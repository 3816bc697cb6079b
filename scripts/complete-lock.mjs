// Completes package-lock.json with optional packages of other platforms that the configured registry does not have
// (mirrors often have only one platform). Without these packages, `npm ci` rejects the lock file on those platforms and
// with other registries. Run this after every `npm install` that changes the lock file.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(path, 'utf8'));
const systems = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

/** Returns the os, cpu and libc fields of a package from its name, such as `@scope/binding-linux-x64-musl`. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const os = words.find((word) => systems.includes(word)) ?? (words.includes('windows') ? 'win32' : undefined);
  const cpu = words.map((word) => (word === 'ppc64le' ? 'ppc64' : word)).find((word) => processors.includes(word));
  const libc = words.some((word) => /^musl/.test(word))
    ? 'musl'
    : words.some((word) => /^gnu/.test(word))
      ? 'glibc'
      : undefined;
  return { ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }), ...(os && { os: [os] }) };
}

/** Returns the location of a dependency of the package at `from`. */
function find(from, name) {
  for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
    const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (lock.packages[place]) return place;
    if (at === '') return undefined;
  }
}

let added = 0;
for (const [from, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(optionalDependencies)) {
    if (find(from, name)) continue;
    const version = range.replace(/^[~^]/, '');
    lock.packages[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...platformOf(name) };
    added++;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(`added ${added} optional packages to package-lock.json`);
