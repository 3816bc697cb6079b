import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { notActedOn } from './kube-apiserver/admission/not-acted-on.ts';
import { namespacesOfANewCluster } from './testdata/readme-example.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** The requirements of optional features, as the README names them. */
const optional = { networkPolicies: '`--network isolated` and nftables', auditLog: '`--audit-policy-file`' };

describe('README', () => {
  it('shows the example that is checked', async () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1];
    expect(shown).toBe(read('testdata/readme-example.ts'));
    expect(await namespacesOfANewCluster()).toContain('kube-system');
  });

  it("of the repository lists what is stored and not acted on, as the server's warnings do", () => {
    const [, list = ''] = read('../../../README.md').split('\nStored, not acted on:\n\n');
    const sentences = notActedOn.map(
      ({ what, effect, needs }) => `- ${what} ${effect}${needs ? ` without ${optional[needs]}` : ''}.`,
    );
    expect(list.split('\n\n')[0]?.split('\n')).toEqual(sentences);
  });
});
