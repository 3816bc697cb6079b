import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { FakeApiServer } from '../../testdata/fake-api-server.ts';
import { RecordingLogger } from '../../testdata/recording-logger.ts';
import { ReconcileRun } from './reconcile-run.ts';
import { RunningReconciles } from './running-reconciles.ts';

class Bench {
  readonly clock = new VirtualClock();
  readonly log = new RecordingLogger();
  readonly stop = new AbortController();
  readonly running: RunningReconciles;
  readonly #startMs = this.clock.monotonic();

  constructor(timeoutMs: number) {
    this.running = new RunningReconciles({ clock: this.clock, timeoutMs, signal: this.stop.signal });
  }

  begin(name: string): ReconcileRun {
    const { client } = new FakeApiServer([], { clock: this.clock });
    const run = new ReconcileRun(
      { key: name, priority: 0 },
      {
        parts: {
          controller: 'sites',
          log: this.log,
          clock: this.clock,
          random: seededRandom(1),
          client,
          primary: undefined,
          recorderOf: () => ({ record() {} }),
          guarded: () => client,
          awaitEnd: () => {},
        },
        request: { name },
        summary: undefined,
      },
    );
    this.running.add(run);
    return run;
  }

  async passSeconds(seconds: number): Promise<void> {
    await this.clock.advance(seconds * 1_000);
  }

  /** Returns the reconciles that were reported as slow, as `name at seconds`. */
  reported(): readonly string[] {
    return this.log.lines
      .filter(({ message }) => message === 'still reconciling')
      .map(({ fields }) => `${String(fields['name'])} after ${String(fields['forSeconds'])}`);
  }

  get secondsSoFar(): number {
    return (this.clock.monotonic() - this.#startMs) / 1_000;
  }
}

describe('RunningReconciles', () => {
  it('reports a slow reconcile in time alongside a reconcile that is reported at long intervals', async () => {
    const bench = new Bench(0);
    bench.begin('a');
    await bench.passSeconds(21);
    bench.begin('b');
    await bench.passSeconds(10);
    expect(bench.reported()).toEqual(['a after 10', 'a after 20', 'b after 10']);
  });

  it('aborts each reconcile at its own limit', async () => {
    const bench = new Bench(15_000);
    const aborted: string[] = [];
    for (const name of ['a', 'b']) {
      const { signal } = bench.begin(name);
      signal.addEventListener('abort', () => aborted.push(`${name} at ${bench.secondsSoFar}`));
      await bench.passSeconds(7);
    }
    await bench.passSeconds(60);
    expect(aborted).toEqual(['a at 15', 'b at 22']);
  });

  it('neither reports nor aborts a reconcile that has ended', async () => {
    const bench = new Bench(15_000);
    const run = bench.begin('a');
    await bench.passSeconds(9);
    bench.running.delete(run);
    await bench.passSeconds(60);
    expect(bench.reported()).toEqual([]);
    expect(run.signal.aborted).toBe(false);
  });

  it('aborts all reconciles when they are canceled', () => {
    const bench = new Bench(0);
    const { signal } = bench.begin('a');
    bench.stop.abort(new Error('stopped'));
    expect(signal.reason).toEqual(new Error('stopped'));
  });
});
