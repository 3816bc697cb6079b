import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, VirtualClock } from '@kubewright/apimachinery';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { jsonLogger } from '../log/json-logger.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { Watchdog } from './watchdog.ts';
import { watchdogSource } from './watchdog-source.ts';

describe('Watchdog', () => {
  it('names the reconcile that blocked the event loop', async () => {
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    await using watchdog = new Watchdog({ log, clock: systemClock, limitMs: 150, reportsImmediately: false });
    watchdog.activity.mark('sites', 'default/a').resumed();
    hold(400);
    await eventually(() => lines.length > 0, 'the warning');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      event: 'event-loop.blocked',
      controller: 'sites',
      key: 'default/a',
    });
  });

  it('names the blocking reconcile even if it has ended before the report', async () => {
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    await using watchdog = new Watchdog({ log, clock: systemClock, limitMs: 150, reportsImmediately: false });
    const short = watchdog.activity.mark('sites', 'default/short');
    const held = watchdog.activity.mark('sites', 'default/held');
    hold(400);
    held.ended();
    short.resumed();
    short.ended();
    await eventually(() => lines.length > 0, 'the warning');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ controller: 'sites', key: 'default/held' });
  });

  it('names the only remaining reconcile after the others have ended', async () => {
    const lines: string[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
    await using watchdog = new Watchdog({ log, clock: systemClock, limitMs: 150, reportsImmediately: false });
    watchdog.activity.mark('sites', 'default/waits');
    watchdog.activity.mark('sites', 'default/short').ended();
    hold(400);
    await eventually(() => lines.length > 0, 'the warning');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ controller: 'sites', key: 'default/waits' });
  });

  it('starts its thread with the first reconcile, not during the initial lists', async () => {
    const clock = new VirtualClock();
    await using watchdog = new Watchdog({ log: silentLogger, clock, reportsImmediately: false });
    await clock.advance(5_000);
    expect(watchdog.hasThread).toBe(false);
    watchdog.activity.mark('sites', 'default/a').ended();
    expect(watchdog.hasThread).toBe(true);
  });

  it.each<['prettyLogger' | 'jsonLogger', 'linked' | 'inline', RegExp]>([
    [
      'prettyLogger',
      'linked',
      /^[\d:.]{12} WARN {2}sites default\/a the event loop is blocked heldMs=\d+ at="spin \(src\/loop\.ts:8:\d+\)"\n$/,
    ],
    [
      'jsonLogger',
      'inline',
      /^{"level":"warn",.*"at":"spin \(src\/loop\.ts:8:\d+\)","controller":"sites","key":"default\/a"}\n$/,
    ],
  ])('reports an endless loop and its line while it runs, in the format of %s', async (logger, sourcemap, line) => {
    const contents = `import { systemClock } from '@kubewright/apimachinery';
      import { jsonLogger } from '../log/json-logger.ts';
      import { prettyLogger } from '../log/pretty-logger.ts';
      import { Watchdog } from './watchdog.ts';
      const log = ${logger}({ destination: { write() {} }, now: Date.now });
      const { activity } = new Watchdog({ log, clock: systemClock, limitMs: 300 });
      activity.mark('sites', 'default/a');
      const spin = () => { for (;;); };
      // The second case blocks before the loop has shown once that it is alive.
      setTimeout(() => spin(), ${sourcemap === 'linked' ? 1_000 : 0});`;
    const folder = mkdtempSync(join(tmpdir(), 'kw-watchdog-'));
    const outfile = join(folder, 'dist/operator.mjs');
    try {
      await build({
        stdin: { contents, resolveDir: import.meta.dirname, sourcefile: join(folder, 'src/loop.ts') },
        bundle: true,
        sourcemap,
        platform: 'node',
        format: 'esm',
        conditions: ['kubewright-source'],
        external: ['prom-client', '@opentelemetry/api'],
        outfile,
      });
      expect(await firstOutput(spawn(process.execPath, [outfile], { cwd: folder }))).toMatch(line);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('starts its thread after ten seconds without a reconcile', async () => {
    const clock = new VirtualClock();
    await using watchdog = new Watchdog({ log: silentLogger, clock, reportsImmediately: false });
    await clock.advance(10_100);
    expect(watchdog.hasThread).toBe(true);
  });
});

describe('watchdogSource', () => {
  const program = `
    const { Worker } = require('node:worker_threads');
    const buffer = new SharedArrayBuffer(524);
    const who = new TextEncoder().encodeInto(process.env.WHO, new Uint8Array(buffer, 12)).written;
    new Int32Array(buffer, 0, 3).set([1, who, 1]);
    const forPeople = process.env.PEOPLE === 'yes';
    new Worker(process.env.SOURCE, { eval: true, workerData: { buffer, limitMs: 1, reportsImmediately: true, forPeople } });`;

  /** Returns the output of the thread after the loop's heartbeat stops. */
  const seen = (env: Readonly<Record<string, string>>): Promise<string> =>
    firstOutput(spawn(process.execPath, ['-e', program], { env: { SOURCE: watchdogSource, ...env } }));

  it('writes one readable line for people', async () => {
    expect(await seen({ PEOPLE: 'yes', WHO: 'sites default/a' })).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}sites default\/a the event loop is blocked heldMs=\d+\n$/,
    );
    expect(await seen({ PEOPLE: 'yes', WHO: '' })).toMatch(/ WARN {2}watchdog the event loop is blocked heldMs=\d+\n$/);
  });

  it('writes again after ten times as long', async () => {
    const child = spawn(process.execPath, ['-e', program], {
      env: { SOURCE: watchdogSource, PEOPLE: 'yes', WHO: 'sites a' },
    });
    let output = '';
    try {
      for await (const chunk of child.stderr) {
        output += String(chunk);
        if (output.split('\n').length > 2) break;
      }
    } finally {
      child.kill('SIGKILL');
    }
    const [first = 0, second = 0] = [...output.matchAll(/heldMs=(\d+)/g)].map(([, ms]) => Number(ms));
    expect(second).toBeGreaterThanOrEqual(10 ** Math.ceil(Math.log10(first)));
  });

  it('writes JSON for programs', async () => {
    const line = JSON.parse(await seen({ PEOPLE: 'no', WHO: 'sites default/a' }));
    const logged: string[] = [];
    jsonLogger({ destination: { write: (text) => void logged.push(text) } })
      .named('watchdog')
      .warn('m', { heldMs: 1 });
    // The line must have the format of the JSON logger, because kubewright dev recognizes lines by their first fields.
    expect(Object.keys(line).slice(0, 5)).toEqual(Object.keys(JSON.parse(logged[0] ?? '')));
    expect(line).toMatchObject({
      level: 'warn',
      msg: 'the event loop is blocked',
      controller: 'sites',
      key: 'default/a',
    });
  });
});

function hold(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Returns the first output of a program on standard error, and kills the program. */
async function firstOutput(child: ChildProcessWithoutNullStreams): Promise<string> {
  try {
    for await (const chunk of child.stderr) return String(chunk);
    throw new Error('it ended without output');
  } finally {
    child.kill('SIGKILL');
  }
}
