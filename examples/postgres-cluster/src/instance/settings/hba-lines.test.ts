import { describe, expect, it } from 'vitest';
import { firstHbaLine, hbaFile } from './hba-file.ts';
import { hbaRejectionReason } from './hba-lines.ts';

describe('hbaRejectionReason', () => {
  const noSuperuser = { superuserAccess: false };

  it.each([
    'host all all 10.0.0.0/8 scram-sha-256',
    'hostssl\tshop,"my db" app,+staff samenet cert clientcert=verify-full',
    'host all all all reject',
    'local all postgres trust',
    'host all "@team" all scram-sha-256',
    'host all all all ldap ldapserver=ldap.example.net ldapprefix="cn=" ldapsuffix=", dc=example, dc=net"',
    // The method is invalid, but only the server checks it.
    'host all all all scam',
  ])('accepts %j', (line) => {
    expect(hbaRejectionReason([line], noSuperuser)).toBeUndefined();
  });

  it.each<[string, string, string]>([
    ['a line with a line break', 'host all all all reject\nhost all all all trust', 'control characters'],
    ['a line that would join the next line', 'host all all all \\', 'end with a backslash'],
    ['a line that ends with a backslash and a blank', 'host all all all \\ ', 'end with a backslash'],
    ['an include directive', 'include /tmp/more.conf', 'a line must begin with local, host,'],
    ['a comment', '# nothing', 'a line must begin with'],
    ['a file of database names', 'host @databases all all reject', '@databases refers to a file'],
    ['a file of user names', 'host all app, @users all reject', '@users refers to a file'],
    ["a line for the replicas' role", 'host all streaming_replica all trust', 'manages how streaming_replica connects'],
    ["a line for the operator's role", 'host all app,"postgres_operator" all trust', 'manages how postgres_operator'],
    ["a line for the poolers' role", 'host all postgres_pooler all reject', 'manages how postgres_pooler connects'],
    ['a line for the superuser without superuserAccess', 'host all postgres all trust', 'set superuserAccess to true'],
  ])('rejects %s', (_, line, why) => {
    expect(hbaRejectionReason(['host all all all reject', line], noSuperuser)).toMatch(/^hba\[1\]: /);
    expect(hbaRejectionReason([line], noSuperuser)).toContain(why);
  });

  it('accepts a line for the superuser with superuserAccess', () => {
    expect(hbaRejectionReason(['host all postgres samenet scram-sha-256'], { superuserAccess: true })).toBeUndefined();
  });
});

describe('hbaFile', () => {
  const lines = ['host all guest all reject'];

  it.each([true, false])(
    "writes the cluster's lines between the operator's lines and the last line (superuserAccess %s)",
    (superuserAccess) => {
      const file = hbaFile({ lines, superuserAccess }).split('\n');
      const at = firstHbaLine({ superuserAccess }) - 1;
      expect(file.slice(at)).toEqual([...lines, 'host all all all scram-sha-256', '']);
      expect(file.slice(0, at).filter((line) => line.includes(' streaming_replica '))).toHaveLength(2);
      expect(file.includes('host all,replication postgres all reject')).toBe(!superuserAccess);
    },
  );

  it('rejects all clients until a server has accepted the lines', () => {
    expect(hbaFile({ lines: undefined, superuserAccess: false })).toMatch(/\nhost all all all reject\n$/);
  });
});
