import { describe, expect, it } from 'vitest';
import { firstHbaLine, hbaFile } from './hba-file.ts';
import { whyLinesRefused } from './hba-lines.ts';

describe('whyLinesRefused', () => {
  const none = { superuserAccess: false };

  it.each([
    'host all all 10.0.0.0/8 scram-sha-256',
    'hostssl\tshop,"my db" app,+staff samenet cert clientcert=verify-full',
    'host all all all reject',
    'local all postgres trust',
    'host all "@team" all scram-sha-256',
    'host all all all ldap ldapserver=ldap.example.net ldapprefix="cn=" ldapsuffix=", dc=example, dc=net"',
    // The server decides what else is wrong.
    'host all all all scam',
  ])('leaves %j to the server', (line) => {
    expect(whyLinesRefused([line], none)).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['a second line', 'host all all all reject\nhost all all all trust', 'control characters'],
    ['a line that swallows the next one', 'host all all all \\', 'end with a backslash'],
    ['a line that swallows the next one, with a blank', 'host all all all \\ ', 'end with a backslash'],
    ['a file of lines', 'include /tmp/more.conf', 'a line must begin with local, host,'],
    ['a comment', '# nothing', 'a line must begin with'],
    ['a file of databases', 'host @databases all all reject', '@databases refers to a file'],
    ['a file of users', 'host all app, @users all reject', '@users refers to a file'],
    ['the role of the replicas', 'host all streaming_replica all trust', 'manages how streaming_replica connects'],
    ['the role of the operator', 'host all app,"postgres_operator" all trust', 'manages how postgres_operator'],
    ['the role of the poolers', 'host all postgres_pooler all reject', 'manages how postgres_pooler connects'],
    ['the superuser without access', 'host all postgres all trust', 'set superuserAccess to true'],
  ])('refuses %s', (_, line, why) => {
    expect(whyLinesRefused(['host all all all reject', line], none)).toMatch(/^hba\[1\]: /);
    expect(whyLinesRefused([line], none)).toContain(why);
  });

  it('accepts the superuser with access', () => {
    expect(whyLinesRefused(['host all postgres samenet scram-sha-256'], { superuserAccess: true })).toBeUndefined();
  });
});

describe('hbaFile', () => {
  const lines = ['host all guest all reject'];

  it.each([true, false])('puts lines after its own and before the last one (superuserAccess %s)', (superuserAccess) => {
    const file = hbaFile({ lines, superuserAccess }).split('\n');
    const at = firstHbaLine({ superuserAccess }) - 1;
    expect(file.slice(at)).toEqual([...lines, 'host all all all scram-sha-256', '']);
    expect(file.slice(0, at).filter((line) => line.includes(' streaming_replica '))).toHaveLength(2);
    expect(file.includes('host all,replication postgres all reject')).toBe(!superuserAccess);
  });

  it('accepts no clients until lines are known to be valid', () => {
    expect(hbaFile({ lines: undefined, superuserAccess: false })).toMatch(/\nhost all all all reject\n$/);
  });
});
