import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyCheckout } from './checkout-copy.ts';
import { build } from './repository.ts';
import { leftovers, Started, stopLimitMs } from './started.ts';
import { isMissing, userShell } from './user-shell.ts';

/** A pod that stops only on SIGKILL and has a grace period of an hour. */
const deafPod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'deaf' },
  spec: {
    terminationGracePeriodSeconds: 3_600,
    containers: [
      {
        name: 'c',
        image: 'busybox',
        command: ['sh', '-c', 'trap "" TERM INT HUP; echo deaf; while :; do sleep 1; done'],
        lifecycle: { preStop: { exec: { command: ['sh', '-c', 'trap "" TERM; sleep 3000'] } } },
      },
    ],
  },
};

describe.skipIf(isMissing('kubectl'))('npm start, when everything hangs', () => {
  const base = mkdtempSync(join(tmpdir(), 'kw-hang-'));
  const checkout = join(base, 'checkout');
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    await build();
    copyCheckout(checkout, { embeddedPostgres: 'linked' });
    neverSettle(join(checkout, 'examples', 'postgresql', 'src', 'controllers', 'postgresql.ts'));
  }, 300_000);
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(base, { recursive: true, force: true });
  });

  /** Starts a kubectl command that runs until the server closes the connection. Resolves after its first output. */
  async function hold(kubeconfig: string, ...args: readonly string[]): Promise<void> {
    const child = spawn('kubectl', ['--kubeconfig', kubeconfig, ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
    children.push(child);
    let complaints = '';
    child.stderr.on('data', (text) => {
      complaints += text;
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve());
      child.once('close', () => reject(new Error(`kubectl ${args.join(' ')} ended: ${complaints}`)));
    });
  }

  it('exits soon after Ctrl-C and leaves nothing behind', async () => {
    await using started = new Started({ cwd: checkout, checkout });
    await started.ready();
    expect(started.output).toMatch(
      /^ *\d+\.\d\d s {2}building (?:one package|\d+ packages, which takes about \d+ s; .*)\n/,
    );
    const shell = userShell(checkout);
    const apply = (object: object) => {
      writeFileSync(join(base, 'object.json'), JSON.stringify(object));
      const { status, stderr } = shell(`kubectl --kubeconfig '${started.kubeconfig}' apply -f '${base}/object.json'`);
      expect(status, stderr).toBe(0);
    };
    apply(deafPod);
    const kind = { apiVersion: 'database.db.example.com/v1', kind: 'Postgresql' };
    apply({ ...kind, metadata: { name: 'stuck' }, spec: { password: 'Password123!' } });
    await started.printed(/postgresql default\/stuck never settles\n/);
    const ready = shell(
      `kubectl --kubeconfig '${started.kubeconfig}' wait --for=condition=Ready pod/deaf --timeout=120s`,
    );
    expect(ready.status, ready.stderr).toBe(0);
    await hold(started.kubeconfig, 'logs', '-f', 'deaf');
    await hold(started.kubeconfig, 'exec', 'deaf', '--', 'sh', '-c', 'trap "" TERM HUP; echo deaf too; sleep 3000');
    await hold(started.kubeconfig, 'get', 'pods', '-w');
    await hold(started.kubeconfig, 'port-forward', 'pod/deaf', ':80');
    const { sandbox } = started;
    const { code, afterMs } = await started.stop('SIGINT');
    expect(code, started.output).toBe(0);
    expect(afterMs).toBeLessThan(stopLimitMs());
    expect(started.output).toMatch(/\nstopped\n$/);
    expect(leftovers(checkout, sandbox)).toEqual([]);
  }, 300_000);
});

/** Changes the operator to wait forever for an object named `stuck`, with a timer that keeps the process alive. */
function neverSettle(controller: string): void {
  const source = readFileSync(controller, 'utf8');
  const hang = `if (pg.metadata.name === 'stuck') {
      ctx.log.info('never settles');
      await new Promise(() => setInterval(() => {}, 1_000_000));
    }`;
  const changes = [
    ['desired(pg, observed) {', `async reconcile(pg, ctx) {\n    ${hang}`],
    ['observed.get(Pod, pg.metadata.name)', 'await ctx.get(Pod, { namespace: "default", name: pg.metadata.name })'],
  ] as const;
  for (const [text] of changes) {
    if (!source.includes(text)) throw new Error(`${controller} no longer contains ${text}, which this test replaces`);
  }
  writeFileSync(
    controller,
    changes.reduce((changed, [text, replacement]) => changed.replace(text, replacement), source),
  );
}
