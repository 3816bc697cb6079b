import { readFileSync } from 'node:fs';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { readyWebPods } from './testdata/readme-example.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

describe('README', () => {
  it('shows the example that is type-checked', () => {
    const shown = /```ts\n([\s\S]*?)```/.exec(read('../README.md'))?.[1];
    expect(shown).toBe(read('testdata/readme-example.ts'));
    const pod: Pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'shop', name: 'web-0', labels: { app: 'web' } },
      spec: { containers: ['a', 'b'].map((name) => ({ name, resources: { requests: { memory: '100Mi' } } })) },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    };
    const answer = readyWebPods([pod, { ...pod, metadata: { name: 'db-0', labels: { app: 'db' } } }]);
    expect(answer).toEqual({ keys: [{ namespace: 'shop', name: 'web-0' }], memory: '200Mi' });
  });
});
