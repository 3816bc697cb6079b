import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import { boot, stop } from '../cluster/lifetime.mjs';
import { oracleSide } from '../cluster/sides.mjs';
import { processorMs, residentBytes } from '../process-usage.mjs';

const programAt = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Starts the embedded cluster in one process, runs `measure` with it, and stops it. `measure` gets a client, and functions that
 * return the processor time in seconds and the resident memory in MB.
 */
export async function onEmbeddedCluster(node, measure) {
  const folder = mkdtempSync(join(tmpdir(), 'kw-bench-'));
  const startedAt = performance.now();
  const child = spawnUntilReady([programAt('cluster-process.mjs'), folder, JSON.stringify(node)]);
  try {
    await child.ready;
    return await measure(await connect(join(folder, 'kubeconfig'), [child.process], startedAt));
  } finally {
    await stop([child.process]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts the real control plane from `bin` with our simulated nodes, runs `measure`, and stops everything. */
export async function onRealControlPlane(bin, { count }, measure) {
  const folder = mkdtempSync(join(tmpdir(), 'kw-bench-'));
  const side = oracleSide(bin);
  const place = { folder, port: 21_000 + Math.floor(Math.random() * 800) * 10 };
  const startedAt = performance.now();
  const { children } = await boot(side, place);
  try {
    children.push(...side.complete(place));
    const kubeconfig = join(folder, 'kubeconfig');
    const nodes = spawnUntilReady([
      '--conditions=kubewright-source',
      programAt('nodes-process.mjs'),
      kubeconfig,
      String(count),
    ]);
    children.push(nodes.process);
    await nodes.ready;
    return await measure(await connect(kubeconfig, children, startedAt));
  } finally {
    await stop(children);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function connect(kubeconfig, children, startedAt) {
  const client = clientFromConfig(await loadClientConfig({ kubeconfig }));
  return {
    client,
    startedAt,
    cpuSeconds: () => processorMs(children) / 1_000,
    residentMb: () => residentBytes(children) / 1e6,
  };
}

function spawnUntilReady(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit').then(([code]) => {
    throw new Error(`${args.find((arg) => arg.endsWith('.mjs'))} exited with code ${code}`);
  });
  // Prevents an unhandled rejection: after the measurement, the exit is expected.
  gone.catch(() => undefined);
  return { process: child, ready: Promise.race([once(child.stdout, 'data'), gone]) };
}
