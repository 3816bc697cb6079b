import { Ingress } from '@kubewright/apimachinery/networking/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { IngressTable, rulesOf } from './ingress-rules.ts';

const service = (name: string) => ({ service: { name, port: { number: 80 } } });
const path = (text: string, pathType: 'Exact' | 'Prefix' = 'Prefix') => ({
  path: text,
  pathType,
  backend: service(`${text}${pathType === 'Exact' ? '!' : ''}`),
});
const shop = Ingress({
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    defaultBackend: service('default'),
    rules: [
      { http: { paths: [path('/any')] } },
      { host: 'Example.com', http: { paths: [path('/'), path('/foo'), path('/foo', 'Exact'), path('/foo/bar/')] } },
      { host: '*.example.com', http: { paths: [{ ...path('/'), backend: service('wild') }] } },
      {
        host: 'files.org',
        http: { paths: [{ ...path('/'), backend: { resource: { kind: 'Bucket', name: 'b' } } }] },
      },
    ],
  },
});
const rules = rulesOf(stored(shop));

describe('IngressTable', () => {
  const table = new IngressTable();
  table.set('shop/web', rules);

  it.each([
    ['example.com', '/', '/'],
    ['EXAMPLE.com:8080', '/x', '/'],
    ['example.com', '/foo', '/foo!'],
    ['example.com', '/foo?bar', '/foo!'],
    ['example.com', '/foo/', '/foo'],
    ['example.com', '/foobar', '/'],
    ['example.com', '/foo/bar', '/foo/bar/'],
    ['example.com', '/foo/bar/baz', '/foo/bar/'],
    ['example.com', '/foo/../x', '/'],
    ['a.example.com', '/foo', 'wild'],
    ['a.b.example.com', '/foo', 'default'],
    ['other.org', '/any/thing', '/any'],
    ['other.org', '/anything', 'default'],
    ['files.org', '/', 'default'],
  ])('sends http://%s%s to %s', (host, url, expected) => {
    expect(table.find({ host, url })?.target).toEqual({
      namespace: 'shop',
      service: expected,
      port: { number: 80 },
    });
  });

  it('forgets the rules of an Ingress, and prefers the rules of the oldest Ingress', () => {
    const several = new IngressTable();
    const ingress = (name: string, creationTimestamp: string) =>
      rulesOf(
        stored(
          Ingress({ metadata: { name, namespace: 'a', creationTimestamp }, spec: { defaultBackend: service(name) } }),
        ),
      );
    const found = () => several.find({ host: 'x', url: '/' })?.target.service;
    several.set('new', ingress('new', '2026-01-02T00:00:00Z'));
    several.set('old', ingress('old', '2026-01-01T00:00:00Z'));
    expect(found()).toBe('old');
    several.set('old', []);
    expect(found()).toBe('new');
    several.set('new', []);
    expect(found()).toBeUndefined();
  });
});
