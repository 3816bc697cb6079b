import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { variablesFor } from './variables.ts';
import type { Played } from './watches.ts';

describe('variablesFor', () => {
  it('names variables as operator-sdk does, and marks every string as unsafe', () => {
    const spec = { replicaCount: 2, serverHTTPPort: 80, message: '{{ 1 }}', nested: [{ maxAge: 1 }, true, null, 'x'] };
    const metadata = { name: 'hello', namespace: 'shop' };
    const object = stored<Played>({ apiVersion: 'playbooks.example.com/v1', kind: 'Greeting', metadata, spec });
    expect(variablesFor(object)).toEqual({
      replica_count: 2,
      server_http_port: 80,
      message: { __ansible_unsafe: '{{ 1 }}' },
      nested: [{ max_age: 1 }, true, null, { __ansible_unsafe: 'x' }],
      ansible_operator_meta: { name: { __ansible_unsafe: 'hello' }, namespace: { __ansible_unsafe: 'shop' } },
    });
  });
});
