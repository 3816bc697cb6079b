import { VirtualClock } from '@kubewright/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Connection, Connections } from './connections.ts';
import { defaultLimits } from './limits.ts';

describe('Connections', () => {
  let clock: VirtualClock;
  let connections: Connections;
  let ended: string[];

  beforeEach(() => {
    clock = new VirtualClock();
    ended = [];
    const limits = { ...defaultLimits, maxConnections: 3, firstRequestTimeoutMs: 30_000, keepAliveMs: 180_000 };
    connections = new Connections({ clock, limits });
  });

  const open = (name: string): Connection | undefined =>
    connections.add({ close: () => ended.push(`${name} closed`), destroy: () => ended.push(`${name} destroyed`) });
  const ask = (connection: Connection | undefined, known: boolean): void => {
    connection?.begin();
    connection?.end(known);
  };

  it('closes a connection that sends no request, gracefully at first', async () => {
    open('a');
    await clock.advance(29_999);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual(['a closed']);
    await clock.advance(defaultLimits.closeGraceMs);
    expect(ended).toEqual(['a closed', 'a destroyed']);
  });

  it('keeps a used connection until its idle timeout', async () => {
    const a = open('a');
    await clock.advance(20_000);
    ask(a, true);
    await clock.advance(179_999);
    expect(ended).toEqual([]);
    await clock.advance(1);
    expect(ended).toEqual(['a closed']);
  });

  it('never closes a connection with a request in progress', async () => {
    const a = open('a');
    a?.begin();
    a?.begin();
    a?.end(true);
    await clock.advance(3_600_000);
    expect(ended).toEqual([]);
    a?.end(true);
    await clock.advance(180_000);
    expect(ended).toEqual(['a closed']);
  });

  it('makes room by closing unused, then unknown, then known connections, longest idle first', () => {
    ask(open('known'), true);
    ask(open('unknown'), false);
    open('unused');
    for (const name of ['w', 'x', 'y']) open(name)?.begin();
    expect(ended).toEqual(['unused destroyed', 'unknown destroyed', 'known destroyed']);
    expect(open('z')).toBeUndefined();
    expect(connections.size).toBe(3);
  });

  it('frees the slot of a connection that closes', () => {
    const [a] = [open('a'), open('b'), open('c')];
    if (a) connections.remove(a);
    open('d');
    expect(ended).toEqual([]);
  });
});
