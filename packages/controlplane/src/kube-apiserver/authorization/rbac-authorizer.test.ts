import { systemClock } from '@kubewright/apimachinery';
import { MemoryStorage, superuserAuthorizer, UnionAuthorizer, type UserInfo } from '@kubewright/apiserver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NodeAuthorizer, NodeGraph } from './node/index.ts';
import { RbacAuthorizer } from './rbac-authorizer.ts';
import { RbacIndex } from './rbac-index.ts';

describe('RbacAuthorizer', () => {
  let storage: MemoryStorage;
  let index: RbacIndex;
  let authorizer: UnionAuthorizer;

  beforeEach(async () => {
    storage = new MemoryStorage({ clock: systemClock });
    index = new RbacIndex();
    await index.start(storage);
    authorizer = new UnionAuthorizer([
      superuserAuthorizer,
      new NodeAuthorizer({ index, graph: new NodeGraph() }),
      new RbacAuthorizer(index),
    ]);
  });
  afterEach(async () => {
    index[Symbol.dispose]();
    await storage[Symbol.asyncDispose]();
  });

  const put = async (path: string, object: Record<string, unknown>): Promise<void> => {
    const key = `/registry/${path}`;
    const [resource, ...rest] = path.split('/');
    const metadata = { name: rest.at(-1), ...(rest.length > 1 && { namespace: rest[0] }), resource };
    const expected = (await storage.get(key))?.revision ?? 0;
    await storage.commit([{ key, expected, bytes: Buffer.from(JSON.stringify({ ...object, metadata })) }]);
  };
  const may = async (user: UserInfo, verb: string, namespace: string): Promise<string> => {
    const resource = { group: '', version: 'v1', resource: 'pods', subresource: '', namespace, name: '' };
    const { decision, reason } = await authorizer.authorize({ user, verb, resource });
    return decision === 'allow' ? `yes ${reason}` : decision;
  };
  const readPods = { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] };
  const jane = { username: 'jane', groups: ['devs'] };

  it('allows what a cluster role binding grants, in every namespace', async () => {
    await put('clusterroles/reader', readPods);
    await put('clusterrolebindings/b', {
      subjects: [{ kind: 'Group', name: 'devs' }],
      roleRef: { kind: 'ClusterRole', name: 'reader' },
    });
    expect(await may(jane, 'get', 'a')).toBe(
      'yes RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to Group "devs"',
    );
    expect(await may(jane, 'delete', 'a')).toBe('no-opinion');
    expect(await may({ username: 'jim', groups: [] }, 'get', 'a')).toBe('no-opinion');
  });

  it('limits a role binding to its namespace', async () => {
    await put('roles/a/reader', readPods);
    await put('rolebindings/a/b', {
      subjects: [{ kind: 'ServiceAccount', name: 'sa', namespace: 'a' }],
      roleRef: { kind: 'Role', name: 'reader' },
    });
    const account = { username: 'system:serviceaccount:a:sa', groups: [] };
    expect(await may(account, 'get', 'a')).toBe(
      'yes RBAC: allowed by RoleBinding "b/a" of Role "reader" to ServiceAccount "sa/a"',
    );
    expect(await may(account, 'get', 'b')).toBe('no-opinion');
  });

  it('follows changes of roles and bindings', async () => {
    const binding = { subjects: [{ kind: 'User', name: 'jane' }], roleRef: { kind: 'ClusterRole', name: 'reader' } };
    await put('clusterrolebindings/b', binding);
    expect(await may(jane, 'get', 'a')).toBe('no-opinion');
    await put('clusterroles/reader', readPods);
    expect(await may(jane, 'get', 'a')).toMatch('yes');
    await put('clusterrolebindings/b', { ...binding, subjects: [] });
    expect(await may(jane, 'get', 'a')).toBe('no-opinion');
  });

  it('allows system:masters everything, and nodes everything that system:node grants besides the node rules', async () => {
    await put('clusterroles/system:node', { rules: [{ verbs: ['get'], apiGroups: [''], resources: ['services'] }] });
    const services = async (user: UserInfo, verb: string): Promise<string> => {
      const resource = { group: '', version: 'v1', resource: 'services', subresource: '', namespace: 'a', name: 's' };
      return (await authorizer.authorize({ user, verb, resource })).decision;
    };
    expect(await services({ username: 'x', groups: ['system:masters'] }, 'delete')).toBe('allow');
    expect(await services({ username: 'system:node:n', groups: ['system:nodes'] }, 'get')).toBe('allow');
    expect(await services({ username: 'system:node:n', groups: ['system:nodes'] }, 'delete')).toBe('no-opinion');
    expect(await services({ username: 'mallory', groups: ['system:nodes'] }, 'get')).toBe('no-opinion');
  });
});
