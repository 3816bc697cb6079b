import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { boot, stop } from '../../bench/cluster/lifetime.mjs';
import { oracleSide } from '../../bench/cluster/sides.mjs';

const programs = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'];

/** Returns the folder with the real control plane's programs: `BIN`, or a folder in the user's cache. */
export function programsFolder(env) {
  return env.BIN ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'kubewright-oracle/bin');
}

/** Returns the programs that a folder lacks. */
export function missingPrograms(bin) {
  return programs.filter((program) => !existsSync(join(bin, program)));
}

/** Returns the versions that etcd and the API server report. */
export function controlPlaneVersions(bin) {
  const said = (program) => spawnSync(join(bin, program), ['--version'], { encoding: 'utf8' }).stdout.split('\n')[0];
  return [said('kube-apiserver'), said('etcd').replace(' Version:', '')].join(', ');
}

/**
 * Starts an empty control plane on loopback, with additional flags for kube-apiserver, and with controllers and
 * scheduler if `controllers` is true. Returns the address, a token and the path of the kubeconfig; disposing of the
 * result stops the control plane.
 */
export async function startControlPlane(bin, { flags = [], controllers = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'kw-oracle-'));
  const side = oracleSide(bin);
  // Ports below the ephemeral range, so that no client socket takes one.
  const place = { folder, flags, port: 21_000 + Math.floor(Math.random() * 800) * 10 };
  const { children } = await boot(side, place);
  if (controllers) children.push(...side.complete(place));
  return {
    url: `https://127.0.0.1:${place.port}`,
    token: side.credentials(place).token,
    kubeconfig: join(folder, 'kubeconfig'),
    async [Symbol.asyncDispose]() {
      await stop(children);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
