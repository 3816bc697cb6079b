import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { variablesFile, variablesFor } from './variables.ts';
import type { Played } from './watches.ts';

const object = stored<Played>({
  apiVersion: 'playbooks.example.com/v1',
  kind: 'Greeting',
  metadata: { name: 'hello', namespace: 'shop' },
  spec: { replicaCount: 2, serverHTTPPort: 80, nested: [{ maxAge: 1 }] },
});

describe('variablesFor', () => {
  it('names variables as operator-sdk does', () => {
    expect(variablesFor(object)).toEqual({
      replica_count: 2,
      server_http_port: 80,
      nested: [{ max_age: 1 }],
      ansible_operator_meta: { name: 'hello', namespace: 'shop' },
      _playbooks_example_com_greeting: object,
      _playbooks_example_com_greeting_spec: object.spec,
    });
  });
});

describe('variablesFile', () => {
  it('is JSON in which every string is marked as unsafe', () => {
    const value = { a: '{{ 1 }}', b: [1, true, null, 'x'], c: undefined };
    expect(JSON.parse(variablesFile(value))).toEqual({
      a: { __ansible_unsafe: '{{ 1 }}' },
      b: [1, true, null, { __ansible_unsafe: 'x' }],
    });
  });
});
