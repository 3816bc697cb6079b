// Assembles the images of Kubernetes' conformance tests from `agnhost` and programs of this machine, because the tests
// must not depend on a registry.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const registry = 'registry.k8s.io/e2e-test-images';
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** The programs that all images need, besides agnhost. */
export const neededPrograms = ['busybox', 'bash', 'ldd', 'tar'];

const images = {
  agnhost: {
    names: [`${registry}/agnhost:2.63.0`, `${registry}/agnhost:2.55`],
    programs: ['curl', 'dig', 'getent', 'ip', 'ss', 'nc.openbsd'],
    links: { '/usr/local/bin/nc': '/bin/nc.openbsd', '/agnhost-2': 'agnhost' },
    folders: ['/uploads'],
    config: { Entrypoint: ['/agnhost'], Cmd: ['pause'] },
  },
  busybox: { names: [`${registry}/busybox:1.37.0-1`], config: { Cmd: ['sh'] } },
  pause: {
    names: ['3.10', '3.10.1', '3.10.2'].map((version) => `registry.k8s.io/pause:${version}`),
    config: { Entrypoint: ['/agnhost', 'pause'], User: '65535:65535' },
  },
  nginx: {
    names: [`${registry}/nginx:1.15-4`, `${registry}/nginx:1.27-0`],
    programs: ['nginx', 'curl'],
    folders: ['/var/lib/nginx/body', '/var/log/nginx', '/run'],
    files: {
      '/etc/nginx/nginx.conf':
        'user root;\ndaemon off;\npid /tmp/nginx.pid;\nerror_log /dev/stderr;\nevents {}\nhttp { access_log /dev/stdout; server { listen 80; root /usr/share/nginx/html; } }\n',
      '/usr/share/nginx/html/index.html': '<html><head><title>Welcome to nginx!</title></head></html>\n',
    },
    config: { Cmd: ['nginx', '-c', '/etc/nginx/nginx.conf'] },
  },
  nonroot: { names: [`${registry}/nonroot:1.5`], config: { Entrypoint: ['id', '-u'], User: '1234' } },
  dns: {
    names: [`${registry}/glibc-dns-testing:2.0.0`],
    programs: ['dig', 'getent'],
    config: { Cmd: ['sleep', '10000'] },
  },
};

/**
 * Writes each image as an OCI layout in a separate folder, except those whose programs are missing, which it reports.
 *
 * @param options - `folder`: for the layouts; `agnhost`: path of the program
 * @returns the folders
 */
export function assembleImages({ folder, agnhost }) {
  return Object.entries(images).flatMap(([name, image]) => {
    const missing = (image.programs ?? []).filter((program) => find(program) === undefined);
    if (missing.length > 0) {
      process.stderr.write(`without the image ${name}: ${missing.join(', ')} not found\n`);
      return [];
    }
    const root = join(folder, `${name}-root`);
    fill(root, { ...image, agnhost });
    const layout = join(folder, name);
    writeLayout(layout, { ...image, layer: archive(root) });
    rmSync(root, { recursive: true });
    return layout;
  });
}

/** Creates the root file system of an image. */
function fill(root, { programs = [], links = {}, folders = [], files = {}, agnhost }) {
  for (const each of ['/dev', '/home', '/proc', '/root', '/sys', '/tmp', '/var/log', '/var/run', ...folders]) {
    mkdirSync(join(root, each), { recursive: true });
  }
  chmodSync(join(root, 'tmp'), 0o1777);
  const users = 'root:x:0:0:root:/root:/bin/sh\nuser-defined-in-image:x:1000:1000::/home:/bin/sh\n';
  const groups = 'root:x:0:\nuser-defined-in-image:x:1000:\ngroup-defined-in-image:x:50000:user-defined-in-image\n';
  const etc = { '/etc/passwd': users, '/etc/group': groups, '/etc/nsswitch.conf': 'hosts: files dns\n' };
  for (const [path, text] of Object.entries({ ...etc, ...files })) write(root, path, text);
  copy(root, agnhost, '/agnhost');
  for (const name of ['localhost.crt', 'localhost.key']) copy(root, join(dirname(agnhost), name), `/${name}`);
  copy(root, find('busybox'), '/bin/busybox');
  const applets = spawnSync(find('busybox'), ['--list'], { encoding: 'utf8' }).stdout.split('\n');
  // Debian's busybox runs its own applets instead of the programs on the PATH, and drops some variables; bash does not.
  for (const applet of applets)
    if (!['', 'busybox', 'sh', 'ash'].includes(applet)) link(root, `/bin/${applet}`, 'busybox');
  for (const each of ['bash', ...programs]) for (const file of withLibraries(find(each))) copy(root, file, file);
  for (const [path, target] of Object.entries({ '/bin/sh': find('bash'), ...links })) link(root, path, target);
}

function write(root, path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function copy(root, from, to) {
  if (existsSync(join(root, to))) return;
  mkdirSync(dirname(join(root, to)), { recursive: true });
  copyFileSync(realpathSync(from), join(root, to));
}

function link(root, path, target) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  rmSync(join(root, path), { force: true });
  symlinkSync(target, join(root, path));
}

/** Returns the path of a program. */
export function find(program) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/bin', '/usr/sbin', '/sbin'];
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file));
}

/** Returns a program and the libraries that it loads. */
function withLibraries(program) {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  return [program, ...stdout.split(/\s+/).filter((word) => word.startsWith('/'))];
}

function archive(root) {
  const args = ['--owner=0', '--group=0', '--numeric-owner', '-cf', '-', '-C', root, '.'];
  const { status, stdout, stderr } = spawnSync('tar', args, { maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`tar failed: ${stderr}`);
  return stdout;
}

function writeLayout(folder, { names, config, layer }) {
  mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true });
  const blob = (bytes) => {
    const hash = digest(bytes);
    writeFileSync(join(folder, 'blobs', 'sha256', hash), bytes);
    return { digest: `sha256:${hash}`, size: bytes.length };
  };
  const type = (name) => `application/vnd.oci.image.${name}`;
  const layers = [{ mediaType: type('layer.v1.tar+gzip'), ...blob(gzipSync(layer, { level: 1 })) }];
  const image = {
    architecture: { x64: 'amd64', arm64: 'arm64' }[process.arch],
    os: 'linux',
    config: { Env: [`PATH=${path}`], ...config },
    rootfs: { type: 'layers', diff_ids: [`sha256:${digest(layer)}`] },
  };
  const described = { mediaType: type('config.v1+json'), ...blob(Buffer.from(JSON.stringify(image))) };
  const manifest = { schemaVersion: 2, mediaType: type('manifest.v1+json'), config: described, layers };
  const { digest: hash, size } = blob(Buffer.from(JSON.stringify(manifest)));
  const manifests = names.map((name) => ({
    mediaType: type('manifest.v1+json'),
    digest: hash,
    size,
    annotations: { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name },
  }));
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests }));
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}

function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}
