import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from './index.ts';

describe('parseRequestInfo', () => {
  it.each([
    ['GET', '/api/v1/pods', 'list', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/pods?watch=true', 'watch', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/pods?watch=0', 'list', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/pods?watch=fAlSe', 'list', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/pods?watch=f', 'watch', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/pods?watch=F', 'watch', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/pods?watch=', 'watch', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/pods?watch=0&watch=1', 'list', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/namespaces/a/pods/b', 'get', ['', 'v1', 'pods', 'a', 'b', '']],
    ['HEAD', '/api/v1/namespaces/a/pods/b', 'get', ['', 'v1', 'pods', 'a', 'b', '']],
    ['PUT', '/api/v1/namespaces/a/pods/b/status', 'update', ['', 'v1', 'pods', 'a', 'b', 'status']],
    ['GET', '/api/v1/namespaces/a', 'get', ['', 'v1', 'namespaces', 'a', 'a', '']],
    ['PUT', '/api/v1/namespaces/a/finalize', 'update', ['', 'v1', 'namespaces', 'a', 'a', 'finalize']],
    ['GET', '/api/v1/namespaces', 'list', ['', 'v1', 'namespaces', '', '', '']],
    [
      'DELETE',
      '/apis/apps/v1/namespaces/a/deployments',
      'deletecollection',
      ['apps', 'v1', 'deployments', 'a', '', ''],
    ],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments/d', 'delete', ['apps', 'v1', 'deployments', 'a', 'd', '']],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/a/deployments/d/scale',
      'patch',
      ['apps', 'v1', 'deployments', 'a', 'd', 'scale'],
    ],
    [
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      'create',
      ['rbac.authorization.k8s.io', 'v1', 'clusterroles', '', '', ''],
    ],
    ['GET', '/api/v1/watch/pods', 'watch', ['', 'v1', 'pods', '', '', '']],
    ['GET', '/api/v1/watch/namespaces/a/pods/b', 'watch', ['', 'v1', 'pods', 'a', 'b', '']],
    ['GET', '/apis/apps/v1/watch/namespaces/a/deployments', 'watch', ['apps', 'v1', 'deployments', 'a', '', '']],
    ['POST', '/api/v1/watch/namespaces/a', 'watch', ['', 'v1', 'namespaces', 'a', 'a', '']],
    ['GET', '/api/v1/watch', 'list', ['', 'v1', 'watch', '', '', '']],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Dx', 'list', ['', 'v1', 'pods', '', 'x', '']],
  ])('parses %s %s', (method, path, verb, [group, version, resource, namespace, name, subresource]) => {
    const info = parseRequestInfo(method, path);
    expect(info).toMatchObject({ isResource: true, verb, group, version, resource, namespace, name, subresource });
  });

  it.each(['/', '/api', '/api/v1', '/apis', '/apis/apps', '/apis/apps/v1', '/healthz', '/version', '/foo/bar/baz'])(
    'treats %s as a non-resource path',
    (path) => {
      expect(parseRequestInfo('GET', path)).toMatchObject({ isResource: false, verb: 'get', path });
    },
  );

  it.each([
    ['metadata.namespace!=a\\,metadata.name=x', ''],
    ['metadata.name=x,metadata.namespace=a', 'x'],
    ['metadata.name!=x', ''],
    ['metadata.name=a/b', ''],
    ['metadata.name=x,\\', ''],
  ])('sets the name that the selector %s actually matches', (selector, name) => {
    expect(parseRequestInfo('GET', `/api/v1/secrets?fieldSelector=${encodeURIComponent(selector)}`).name).toBe(name);
  });

  it('keeps the path after a subresource', () => {
    expect(parseRequestInfo('GET', '/api/v1/namespaces/a/pods/b/proxy/x/y').remainder).toEqual(['x', 'y']);
  });
});
