import { type Clock, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { HandlerContext } from '../handler/event-handler.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { channelSource, enqueueRequest } from './channel-source.ts';
import { EventChannel } from './event-channel.ts';
import { pollSource } from './poll-source.ts';
import type { SourceStart } from './source.ts';

function feeding(clock: Clock = new VirtualClock()) {
  const asked: string[] = [];
  const errors: string[] = [];
  const context: HandlerContext = {
    primary: undefined,
    primaryUid: () => undefined,
    enqueue: (request) => void asked.push(request.name),
  };
  const stop = new AbortController();
  const log = {
    ...silentLogger,
    error: (message: string) => void errors.push(message),
    with: () => log,
    named: () => log,
  };
  const start = { signal: stop.signal, clock, random: seededRandom(1), log: log as never } satisfies SourceStart;
  return { asked, errors, context, start, stop };
}

describe('channelSource', () => {
  it('feeds events in order, and makes senders wait when it is full', async () => {
    const { asked, context, start, stop } = feeding();
    const channel = new EventChannel<{ name: string }>(2);
    const sent: string[] = [];
    const sending = (async () => {
      for (const name of ['a', 'b', 'c', 'd']) {
        await channel.send({ name });
        sent.push(name);
      }
    })();
    await eventually(() => sent.length === 2);
    expect(channel.size).toBe(2);
    await channelSource({ name: 'x', events: channel, handler: enqueueRequest }).start(context, start);
    await sending;
    await eventually(() => asked.length === 4);
    expect(asked).toEqual(['a', 'b', 'c', 'd']);
    stop.abort();
    await channel.send({ name: 'late' });
    await eventually(() => channel.size === 1);
    // Unread events wait for the next controller, for example after a change of leader.
    const next = feeding();
    await channelSource({ name: 'x', events: channel, handler: enqueueRequest }).start(next.context, next.start);
    await eventually(() => next.asked.length === 1);
    channel.close();
    await channel.send({ name: 'dropped' });
    expect([asked.length, next.asked]).toEqual([4, ['late']]);
  });

  it('leaves no listeners behind when it reopens a stream', async () => {
    const clock = new VirtualClock();
    const { context, start, stop } = feeding(clock);
    async function* failing(): AsyncGenerator<string, undefined> {
      yield 'event';
      throw new Error('lost');
    }
    let listeners = 0;
    const { addEventListener, removeEventListener } = stop.signal;
    Object.assign(stop.signal, {
      addEventListener: (...args: Parameters<AbortSignal['addEventListener']>) => {
        listeners++;
        addEventListener.apply(stop.signal, args);
      },
      removeEventListener: (...args: Parameters<AbortSignal['removeEventListener']>) => {
        listeners--;
        removeEventListener.apply(stop.signal, args);
      },
    });
    await channelSource({ name: 'x', events: failing, handler: () => undefined }).start(context, start);
    await clock.advance(3_600_000);
    // Only the listener of the current wait remains.
    expect(listeners).toBe(1);
    stop.abort();
  });

  it("logs a handler's error and continues; reopens a failed stream", async () => {
    const clock = new VirtualClock();
    const { asked, errors, context, start, stop } = feeding(clock);
    let opened = 0;
    async function* stream(): AsyncGenerator<string, undefined> {
      const turn = ++opened;
      yield `bad${turn}`;
      yield `good${turn}`;
      if (turn < 3) throw new Error('lost');
      return undefined;
    }
    const handler = (name: string, to: HandlerContext): void => {
      if (name.startsWith('bad')) throw new Error('no');
      to.enqueue({ name });
    };
    await channelSource({ name: 'x', events: stream, handler }).start(context, start);
    await clock.advance(10_000);
    await eventually(() => asked.length === 3);
    expect(asked).toEqual(['good1', 'good2', 'good3']);
    expect(errors).toHaveLength(5);
    stop.abort();
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('pollSource', () => {
  it('polls at the start and then periodically, even after a failure', async () => {
    const clock = new VirtualClock();
    const { asked, errors, context, start, stop } = feeding(clock);
    let polls = 0;
    const poll = async (): Promise<{ name: string }[]> => {
      polls++;
      if (polls === 2) throw new Error('away');
      return [{ name: `p${polls}` }];
    };
    await pollSource({ name: 'cloud', everyMs: 60_000, poll }).start(context, start);
    expect(asked).toEqual(['p1']);
    await clock.advance(140_000);
    expect([asked, errors.length]).toEqual([['p1', 'p3'], 1]);
    stop.abort();
    await clock.advance(1_000_000);
    expect([polls, clock.pendingTimers]).toEqual([3, 0]);
  });
});
