import { VirtualClock } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsAtScale, timeoutAtScale } from '../testdata/model-scale.ts';
import { type Command, command, type Flaw, maxOvertakes, QueueModel } from '../testdata/work-queue-model.ts';
import { WorkQueue } from './work-queue.ts';

class Pair {
  readonly clock = new VirtualClock();
  readonly queue = new WorkQueue({ clock: this.clock, maxOvertakes });
  readonly model: QueueModel;

  constructor(flaw?: Flaw) {
    this.model = new QueueModel(flaw);
  }

  async step(command: Command): Promise<void> {
    const { queue, model } = this;
    switch (command.type) {
      case 'add':
        queue.add(command.key, { priority: command.priority });
        return model.add(command.key, command.priority);
      case 'after':
        queue.addAfter(command.key, command);
        return command.delayMs <= 0
          ? model.add(command.key, command.priority)
          : model.wait(command.key, 'delayed', command);
      case 'retry':
        queue.addRateLimited(command.key, { priority: command.priority });
        return model.retry(command.key, command.priority);
      case 'requeue': {
        const { delayMs } = command;
        queue.requeueAfter(command.key, delayMs === undefined ? undefined : { delayMs });
        model.clear(command.key, 'requeue');
        return delayMs === undefined ? undefined : model.wait(command.key, 'requeue', { delayMs, priority: 0 });
      }
      case 'forget':
        queue.forget(command.key);
        model.failures.delete(command.key);
        return model.clear(command.key, 'retry');
      case 'get':
        return this.#get();
      case 'done': {
        const worked = [...model.processing][command.pick];
        if (worked === undefined) return;
        queue.done(worked);
        return model.done(worked);
      }
      case 'advance':
        await this.clock.advance(command.ms);
        return model.advance(command.ms);
    }
  }

  async #get(): Promise<void> {
    if (this.queue.length === 0) return expect(this.model.ready).toEqual([]);
    const item = await this.queue.get();
    expect(item?.key).toBe(this.model.get());
  }
}

function comparison(flaw?: Flaw): fc.IAsyncProperty<[Command[]]> {
  return fc.asyncProperty(fc.array(command, { maxLength: 60 }), async (commands) => {
    const pair = new Pair(flaw);
    for (const each of commands) {
      await pair.step(each);
      expect(pair.queue.length).toBe(pair.model.ready.length);
      for (const name of ['a', 'b', 'c', 'd'])
        expect(pair.queue.failures(name)).toBe(pair.model.failures.get(name) ?? 0);
    }
  });
}

// The model does not cover: interactions of several event loops, and priorities or delays outside those generated.
describe('WorkQueue against its model', () => {
  it(
    'hands out the same keys in the same order after any operations',
    async () => {
      // On failure, fast-check prints the seed and the path that replay the failure.
      await fc.assert(comparison(), { numRuns: runsAtScale(10_000) });
    },
    timeoutAtScale(120_000),
  );

  it.each<Flaw>(['drops keys added during work', 'never ages', 'lets age override priority'])(
    'differs from a queue that %s',
    async (flaw) => {
      const { failed, numRuns } = await fc.check(comparison(flaw), { numRuns: 40_000 });
      expect(failed, `not noticed in ${numRuns} runs`).toBe(true);
    },
    60_000,
  );
});
