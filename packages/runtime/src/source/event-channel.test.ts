import { describe, expect, it } from 'vitest';
import { EventChannel } from './event-channel.ts';

describe('EventChannel', () => {
  it('keeps the order if several senders wait', async () => {
    const channel = new EventChannel<number>(1);
    const events = channel[Symbol.asyncIterator]();
    void channel.send(1);
    void channel.send(2);
    const first = events.next();
    void channel.send(3);
    const rest = [await events.next(), await events.next()];
    expect([await first, ...rest].map(({ value }) => value)).toEqual([1, 2, 3]);
  });

  it('without a buffer, hands each event to a reader', async () => {
    const channel = new EventChannel<number>(0);
    const events = channel[Symbol.asyncIterator]();
    const sent = channel.send(1);
    expect(await events.next()).toEqual({ done: false, value: 1 });
    await sent;
    const next = events.next();
    await channel.send(2);
    expect(await next).toEqual({ done: false, value: 2 });
    expect(channel.size).toBe(0);
  });

  it('loses no event to a reader that stops, even one that reads ahead', async () => {
    const channel = new EventChannel<number>();
    const stopping = channel[Symbol.asyncIterator]();
    const other = channel[Symbol.asyncIterator]();
    const ahead = [stopping.next(), stopping.next()];
    const read = other.next();
    await stopping.return?.();
    await channel.send(1);
    expect((await Promise.all([...ahead, read])).map(({ value }) => value)).toEqual([undefined, undefined, 1]);
  });

  it('drops the events of waiting senders when it is closed', async () => {
    const channel = new EventChannel<number>(1);
    const events = channel[Symbol.asyncIterator]();
    void channel.send(1);
    const waiting = channel.send(2);
    channel.close();
    await waiting;
    expect([await events.next(), await events.next()].map(({ value }) => value)).toEqual([1, undefined]);
  });
});
