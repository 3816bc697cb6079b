import { describe, expect, it } from 'vitest';
import { parseInfo, planReplication, type Server } from './replication.ts';

const primary = (name: string, offset = 0): Server => ({ name, host: `ip-${name}`, isLinked: false, offset });
const replica = (name: string, follows: string, offset = 0): Server => ({
  ...primary(name, offset),
  follows,
  isLinked: true,
});

describe('planReplication', () => {
  const cases: readonly [string, readonly Server[], string | undefined, string | undefined, readonly string[]][] = [
    ['waits for a server', [], 'a', undefined, []],
    ['promotes the first server', [replica('a', 'none')], undefined, 'a', ['a REPLICAOF NO ONE']],
    ['leaves a complete replication', [primary('a'), replica('b', 'ip-a')], 'a', 'a', []],
    [
      'adds a server',
      [primary('a', 9), replica('b', 'ip-a'), replica('c', 'none')],
      'a',
      'a',
      ['c REPLICAOF ip-a 6379'],
    ],
    [
      'promotes the server with the most data when the primary is gone',
      [replica('b', 'ip-a', 7), replica('c', 'ip-a', 9)],
      'a',
      'c',
      ['c REPLICAOF NO ONE', 'b REPLICAOF ip-c 6379'],
    ],
    [
      'promotes no primary that was restarted without data',
      [replica('a', '127.0.0.1', 0), replica('b', 'ip-a', 7)],
      'a',
      'b',
      ['b REPLICAOF NO ONE', 'a REPLICAOF ip-b 6379'],
    ],
    ['demotes a second primary', [primary('a', 7), primary('b', 9)], 'a', 'a', ['b REPLICAOF ip-a 6379']],
  ];
  it.each(cases)('%s', (_, servers, present, expected, commands) => {
    const plan = planReplication(servers, present);
    expect(plan.primary?.name).toBe(expected);
    expect(plan.orders.map(({ server, command }) => `${server.name} ${command}`)).toEqual(commands);
  });
});

describe('parseInfo', () => {
  const pod = { name: 'a', host: '10.0.0.1' };

  it('reads the role, the link and the offset', () => {
    expect(parseInfo(pod, '# Replication\r\nrole:master\r\nmaster_repl_offset:42\r\n')).toEqual({
      ...pod,
      follows: undefined,
      isLinked: false,
      offset: 42,
    });
    const info = 'role:slave\r\nmaster_host:10.0.0.2\r\nmaster_link_status:up\r\nslave_repl_offset:7\r\n';
    expect(parseInfo(pod, info)).toEqual({ ...pod, follows: '10.0.0.2', isLinked: true, offset: 7 });
  });
});
