import { describe, expect, it } from 'vitest';
import { EtcdVersions, reportsProgress } from './etcd-versions.ts';

describe('reportsProgress', () => {
  it.each([
    ['3.3.27', false],
    ['3.4.24', false],
    ['3.4.30', false],
    ['3.4.31', true],
    ['3.5.0', false],
    ['3.5.7', false],
    ['3.5.12', false],
    ['3.5.13', true],
    ['3.5.13-rc.1', true],
    ['3.6.0', true],
    ['4.0.0', true],
    ['', false],
    ['latest', false],
  ])('of %j is %s', (version, expected) => {
    expect(reportsProgress(version)).toBe(expected);
  });
});

describe('EtcdVersions', () => {
  it('trusts notifications once every server has reported a new version', async () => {
    const versions: Record<string, string | undefined> = { a: '3.6.8' };
    const asked: string[] = [];
    const etcd = new EtcdVersions(['a', 'b'], async (server) => {
      asked.push(server);
      const version = versions[server];
      if (version === undefined) throw new Error('unreachable');
      return version;
    });
    await etcd.check();
    expect(etcd.reportProgress).toBe(false);
    versions['b'] = '3.5.13';
    await etcd.check();
    expect(etcd.reportProgress).toBe(true);
    await etcd.check();
    expect(asked).toEqual(['a', 'b', 'b']);
  });

  it('does not trust notifications if one server is old', async () => {
    const etcd = new EtcdVersions(['a', 'b'], async (server) => (server === 'a' ? '3.6.8' : '3.5.12'));
    await etcd.check();
    expect(etcd.reportProgress).toBe(false);
  });
});
