// The implementations that runtime.mjs measures: how to build and start each of them, and why it may be skipped.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const node = (program, hasController) => ({
  command: process.execPath,
  args: (server, objects, workers) => ['--expose-gc', here(program), server, String(objects), String(workers)],
  hasController,
});
const compiled = (program, form) => ({
  command: here(program),
  args: (server, objects, workers) => [server, String(objects), String(workers), form],
  hasController: true,
});

export const ours = { name: 'Kubewright', ...node('./ours.mjs', true) };

/** Builds the peers that can be built, and prints why the others are skipped. */
export function peers(say) {
  const build = (what, command, args, folder) => {
    const { status, error, stderr } = spawnSync(command, args, { cwd: here(folder), encoding: 'utf8' });
    if (status === 0) return true;
    say(
      `skipped ${what}: ${error?.code === 'ENOENT' ? `${command} is not installed` : `${command} failed: ${stderr.slice(-300)}`}`,
    );
    return false;
  };
  const found = [];
  if (
    build('controller-runtime', 'go', ['mod', 'tidy'], '../peers/go') &&
    build('controller-runtime', 'go', ['build', '-o', 'bin/peer', '.'], '../peers/go')
  ) {
    for (const form of ['typed', 'unstructured']) {
      found.push({ name: `controller-runtime 0.25, ${form}`, ...compiled('../peers/go/bin/peer', form) });
    }
    const paged = { ...compiled('../peers/go/bin/peer', 'typed'), env: { KUBE_FEATURE_WatchListClient: 'false' } };
    found.push({ name: 'controller-runtime 0.25, typed, paged', ...paged });
  }
  if (build('kube-rs', 'cargo', ['build', '--release'], '../peers/rust')) {
    for (const form of ['typed', 'dynamic']) {
      const program = '../peers/rust/target/release/kubewright-bench-kube-rs';
      found.push({ name: `kube-rs 5, ${form}`, ...compiled(program, form) });
    }
  }
  const modules = here('../peers/client-node/node_modules/@kubernetes/client-node');
  if (
    existsSync(modules) ||
    build('client-node', 'npm', ['install', '--no-audit', '--no-fund'], '../peers/client-node')
  ) {
    found.push({ name: 'client-node 2.0', ...node('../peers/client-node/peer.mjs', false) });
  }
  return found;
}
