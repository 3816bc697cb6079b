import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runOperator } from './run-operator.ts';

/** A kubeconfig of a cluster that is never contacted. */
const somewhere = {
  'current-context': 'it',
  clusters: [{ name: 'it', cluster: { server: 'https://127.0.0.1:1' } }],
  contexts: [{ name: 'it', context: { cluster: 'it', user: '' } }],
};

async function run(args: readonly string[]) {
  const said = { out: '', err: '' };
  const options = { handleSignals: false, watchdog: false };
  const code = await runOperator(options, {
    args,
    stdout: { write: (text) => (said.out += text) },
    stderr: { write: (text) => (said.err += text) },
  });
  return { code, ...said };
}

describe('runOperator', () => {
  it('lists its flags', async () => {
    const { code, out } = await run(['--help']);
    expect(code).toBe(0);
    expect(out).toContain('--leader-elect');
  });

  it('exits with code 2 for an unknown flag, and lists the known flags', async () => {
    const { code, err } = await run(['--leader-elected']);
    expect(code).toBe(2);
    expect(err).toMatch(/^unknown flag --leader-elected/);
    expect(err).toContain('--leader-elect ');
  });

  it('explains how to fix a missing kubeconfig', async () => {
    const { code, err } = await run(['--kubeconfig', '/nowhere/kubeconfig']);
    expect(code).toBe(1);
    expect(err).toMatch(
      /^KW2201 cannot read kubeconfig \/nowhere\/kubeconfig\n {2}why: file not found\n {2}fix: set KUBECONFIG .* npx kubewright cluster up\n$/,
    );
  });

  it('explains how to fix an address that is in use', async () => {
    await using taken = createServer();
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as { readonly port: number }; // the address of a TCP server
    const folder = mkdtempSync(join(tmpdir(), 'kw-program-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, JSON.stringify(somewhere));
    const { code, err } = await run([
      ...['--kubeconfig', kubeconfig],
      ...['--health-probe-bind-address', `127.0.0.1:${port}`],
    ]);
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(err).toMatch(/^KW3006 cannot serve .*\n {2}why: .*EADDRINUSE.*\n {2}fix: stop the process .*\n$/);
  });
});
