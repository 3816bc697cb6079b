import { Ingress } from '@kubewright/apimachinery/networking/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { TlsTable, tlsOf } from './ingress-tls.ts';

const ingress = (name: string, spec: NonNullable<Ingress['spec']>, creationTimestamp = '2026-01-02T00:00:00Z') =>
  tlsOf(stored(Ingress({ metadata: { name, namespace: 'shop', creationTimestamp }, spec })));

describe('TlsTable', () => {
  it.each([
    ['a.example.com', 'a'],
    ['A.Example.com', 'a'],
    ['b.example.com', 'wild'],
    ['b.c.example.com', undefined],
    ['', undefined],
  ])('finds the certificate of %j', (name, expected) => {
    const table = new TlsTable();
    const tls = [
      { hosts: ['*.example.com'], secretName: 'wild' },
      { hosts: ['a.example.com'], secretName: 'a' },
    ];
    table.set('shop/web', ingress('web', { tls }));
    expect(table.find(name)?.secretName).toBe(expected);
  });

  it('applies an entry without hosts to the hosts of all rules, or to every host if there are no rules', () => {
    const table = new TlsTable();
    table.set('shop/web', ingress('web', { tls: [{ secretName: 'all' }], rules: [{ host: 'x.org' }] }));
    expect([table.find('x.org')?.secretName, table.find('y.org')]).toEqual(['all', undefined]);
    table.set('shop/default', ingress('default', { tls: [{ secretName: 'any' }] }));
    expect(table.find('y.org')).toMatchObject({ namespace: 'shop', secretName: 'any' });
  });

  it('prefers the oldest Ingress, and forgets Ingresses that no longer exist', () => {
    const table = new TlsTable();
    const tls = (secretName: string) => ({ tls: [{ hosts: ['x.org'], secretName }] });
    table.set('shop/new', ingress('new', tls('new')));
    table.set('shop/old', ingress('old', tls('old'), '2026-01-01T00:00:00Z'));
    expect(table.find('x.org')?.secretName).toBe('old');
    table.set('shop/old', []);
    expect(table.find('x.org')?.secretName).toBe('new');
    table.set('shop/new', []);
    expect(table.find('x.org')).toBeUndefined();
  });
});
