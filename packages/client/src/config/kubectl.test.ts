import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mergeKubeconfigs } from './kubeconfig.ts';
import { parseKubeconfig } from './parse-kubeconfig.ts';
import { kubeconfig } from './testdata/fake-environment.ts';

const program = 'kubectl';
const kubectl = spawnSync(program, ['version', '--client']).status === 0;

describe.skipIf(!kubectl)(`kubeconfig parsing compared with kubectl${kubectl ? '' : ' (kubectl not found)'}`, () => {
  it('merges like kubectl config view --raw', () => {
    const dir = mkdtempSync(join(tmpdir(), 'kubewright-kubeconfig-'));
    try {
      const one = join(dir, 'one');
      const two = join(dir, 'two');
      writeFileSync(
        one,
        kubeconfig({
          name: 'a',
          cluster: '{ server: "https://one", certificate-authority: pki/ca.crt }',
          user: '{ client-certificate: c.crt, client-key: c.key }',
        }),
      );
      writeFileSync(
        two,
        `${kubeconfig({ name: 'a', cluster: '{ server: "https://two" }' })}- name: b
  user:
    token: t
    as: jane
    as-groups: [devs]
    as-user-extra: { scopes: [x] }
`,
      );
      const env = { ...process.env, KUBECONFIG: `${one}:${join(dir, 'missing')}:${two}` };
      const theirs = JSON.parse(
        execFileSync(program, ['config', 'view', '--raw', '-o', 'json'], { env, encoding: 'utf8' }),
      );
      const read = (file: string) => parseKubeconfig(readFileSync(file, 'utf8'), file);
      const ours = mergeKubeconfigs([read(one), read(two)]);
      expect(ours.currentContext).toBe(theirs['current-context']);
      expect([...ours.users.keys()].sort()).toEqual(theirs.users.map((user: { name: string }) => user.name).sort());
      const [cluster] = theirs.clusters;
      expect(ours.clusters.get('a')).toMatchObject({
        server: cluster.cluster.server,
        // kubectl prints paths relative to the first file's folder.
        certificateAuthority: join(dir, cluster.cluster['certificate-authority']),
      });
      const theirUser = (name: string) => theirs.users.find((user: { name: string }) => user.name === name).user;
      expect(ours.users.get('a')).toMatchObject({
        clientCertificate: join(dir, theirUser('a')['client-certificate']),
        clientKey: join(dir, theirUser('a')['client-key']),
        token: theirUser('a').token,
      });
      expect(ours.users.get('b')).toMatchObject({
        token: theirUser('b').token,
        impersonate: {
          user: theirUser('b').as,
          groups: theirUser('b')['as-groups'],
          extra: new Map(Object.entries(theirUser('b')['as-user-extra'])),
        },
      });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
