import { VirtualClock } from '@kubewright/apimachinery';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsAtScale } from '../testdata/model-scale.ts';
import { type Command, command } from '../testdata/work-queue-model.ts';
import { WorkQueue } from './work-queue.ts';

async function step(queue: WorkQueue, each: Command): Promise<void> {
  if (each.type === 'add') queue.add(each.key, each);
  else if (each.type === 'after') queue.addAfter(each.key, each);
  else if (each.type === 'retry') queue.addRateLimited(each.key, each);
  else if (each.type === 'requeue') {
    const { delayMs } = each;
    queue.requeueAfter(each.key, delayMs === undefined ? undefined : { delayMs });
  } else if (each.type === 'forget') queue.forget(each.key);
  else if (each.type === 'get' && queue.length > 0) await queue.get();
  else if (each.type === 'done') queue.done(queue.working()[each.pick] ?? '');
}

/** Takes all ready keys, marking each as done immediately. */
async function drain(queue: WorkQueue): Promise<readonly string[]> {
  const keys: string[] = [];
  while (queue.length > 0) {
    const { key = '' } = (await queue.get()) ?? {};
    keys.push(key);
    queue.done(key);
  }
  return keys.sort();
}

describe('WorkQueue', () => {
  it('takes over the unfinished work of another queue, with the same keys at the same times', async () => {
    let came = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 5, maxLength: 40 }), async (commands) => {
        const clock = new VirtualClock();
        const stopped = new WorkQueue({ clock });
        const kept = new WorkQueue({ clock });
        for (const each of commands) {
          if (each.type === 'advance') await clock.advance(each.ms);
          await step(stopped, each);
          await step(kept, each);
        }
        const next = new WorkQueue({ clock });
        next.takeOver(stopped.pending());
        void stopped.shutDown();
        // Treat the work on these keys as failed, because its progress is unknown.
        for (const key of kept.working()) {
          kept.add(key);
          kept.done(key);
        }
        for (let time = 0; time < 12; time++) {
          const keys = await drain(next);
          came += keys.length;
          expect(keys).toEqual(await drain(kept));
          await clock.advance(5 * 2 ** time);
        }
      }),
      { numRuns: runsAtScale(300) },
    );
    expect(came).toBeGreaterThan(100);
  });
});
