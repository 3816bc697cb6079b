import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { RunnableContext } from '../runnable/runnable.ts';
import { RecordingLogger } from '../testdata/recording-logger.ts';
import { RunnableGroup } from './runnable-group.ts';
import { StopBudget } from './stop-budget.ts';

const contextOf = (term: string): RunnableContext => ({ client: term }) as unknown as RunnableContext;

describe('RunnableGroup', () => {
  it('restarts a runnable in the next term even if its earlier run ignores its signal, and logs a warning', async () => {
    const clock = new VirtualClock();
    const log = new RecordingLogger();
    const group = new RunnableGroup({ log, failed: () => {} });
    const started: unknown[] = [];
    const ends: (() => void)[] = [];
    group.add({
      name: 'sweeper',
      run(_signal, { client }) {
        started.push(client);
        return new Promise((resolve) => ends.push(resolve));
      },
    });
    const signal = new AbortController().signal;
    const stop = async (): Promise<void> => {
      const stopping = group.stop(new StopBudget(clock, { totalMs: 200, endsAtOnce: undefined }));
      await clock.advance(200);
      await stopping;
    };
    await group.start(signal, contextOf('term 1'));
    await stop();
    await group.start(signal, contextOf('term 2'));
    expect(started).toEqual(['term 1', 'term 2']);
    expect(log.messages('warn')).toEqual(['starting a runnable although its previous run has not stopped']);
    await stop();
    for (const end of ends) end();
    await clock.advance(0);
    await group.start(signal, contextOf('term 3'));
    expect(started).toEqual(['term 1', 'term 2', 'term 3']);
    expect(log.messages('warn')).toHaveLength(1);
  });

  it("gives each runnable the manager's log under its own name", async () => {
    const log = new RecordingLogger();
    const group = new RunnableGroup({ log, failed: () => {} });
    group.add({ name: 'sweeper', run: async (_signal, context) => context.log.info('swept') });
    await group.start(new AbortController().signal, contextOf('term 1'));
    expect(log.lines).toMatchObject([{ message: 'swept', fields: { logger: 'sweeper' } }]);
  });
});
