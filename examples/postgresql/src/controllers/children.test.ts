import type { Stored } from '@kubewright/apimachinery';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { Postgresql } from '../api/v1/postgresql.ts';
import { podFor, secretFor } from './children.ts';

function pg(spec: Postgresql['spec']): Stored<Postgresql> {
  return stored(Postgresql({ metadata: { name: 'mydb', namespace: 'a' }, spec }));
}
const decoded = (secret: ReturnType<typeof secretFor>) =>
  Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]),
  );

describe('secretFor', () => {
  it('reads the user from defaultUser or its deprecated alias, or uses the default', () => {
    expect(decoded(secretFor(pg({ defaultUser: 'one', password: 'p' })))).toEqual({ username: 'one', password: 'p' });
    expect(decoded(secretFor(pg({ defaultuser: 'two', password: 'p' })))).toEqual({ username: 'two', password: 'p' });
    expect(decoded(secretFor(pg({ password: 'pässword' })))).toEqual({ username: 'postgres', password: 'pässword' });
  });
});

describe('podFor', () => {
  it('has the name of its object, and contains no password', () => {
    const pod = podFor(pg({ password: 'canary' }));
    expect(pod.metadata).toMatchObject({ name: 'mydb' });
    expect(JSON.stringify(pod)).not.toContain('canary');
    expect(pod.spec?.containers[0]?.image).toBe('postgres:17');
    expect(pod.spec?.containers[0]?.env?.map(({ name, valueFrom }) => [name, valueFrom?.secretKeyRef?.name])).toEqual([
      ['POSTGRES_USER', 'mydb-credentials'],
      ['POSTGRES_PASSWORD', 'mydb-credentials'],
    ]);
  });
});
