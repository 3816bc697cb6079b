import type { AuthorizationAttributes } from '@kubewright/apiserver';
import { describe, expect, it } from 'vitest';
import { formatRule, type PolicyRule, ruleAllows, uncoveredRules } from './policy-rule.ts';

const user = { username: 'jane', groups: [] };

function asks(verb: string, resource: string, more: { name?: string; group?: string } = {}): AuthorizationAttributes {
  const [plural = '', subresource = ''] = resource.split('/');
  const { name = '', group = '' } = more;
  return { user, verb, resource: { group, version: 'v1', resource: plural, subresource, namespace: 'a', name } };
}

describe('ruleAllows', () => {
  const rule: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] };

  it('allows only the verbs on the resources it names', () => {
    expect(ruleAllows(rule, asks('get', 'pods'))).toBe(true);
    expect(ruleAllows(rule, asks('get', 'pods/log'))).toBe(true);
    expect(ruleAllows(rule, asks('delete', 'pods'))).toBe(false);
    expect(ruleAllows(rule, asks('get', 'pods/exec'))).toBe(false);
    expect(ruleAllows(rule, asks('get', 'pods', { group: 'metrics.k8s.io' }))).toBe(false);
  });

  it('treats * as every verb, group and resource, and */x as subresource x of any', () => {
    expect(ruleAllows({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, asks('bind', 'a/b', { group: 'g' }))).toBe(
      true,
    );
    const scale: PolicyRule = { verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] };
    expect(ruleAllows(scale, asks('get', 'deployments/scale', { group: 'apps' }))).toBe(true);
    expect(ruleAllows(scale, asks('get', 'deployments', { group: 'apps' }))).toBe(false);
  });

  it('allows only the resourceNames, if set', () => {
    const named: PolicyRule = { ...rule, resourceNames: ['one'] };
    expect(ruleAllows(named, asks('get', 'pods', { name: 'one' }))).toBe(true);
    expect(ruleAllows(named, asks('get', 'pods', { name: 'two' }))).toBe(false);
    expect(ruleAllows(named, asks('list', 'pods'))).toBe(false);
  });

  it('matches paths exactly, or by prefix with a trailing *', () => {
    const paths: PolicyRule = { verbs: ['get'], nonResourceURLs: ['/version', '/apis/*'] };
    expect(ruleAllows(paths, { user, verb: 'get', path: '/version' })).toBe(true);
    expect(ruleAllows(paths, { user, verb: 'get', path: '/version/x' })).toBe(false);
    expect(ruleAllows(paths, { user, verb: 'get', path: '/apis/apps' })).toBe(true);
    expect(ruleAllows(paths, { user, verb: 'post', path: '/version' })).toBe(false);
  });
});

describe('uncoveredRules', () => {
  it('returns nothing if every permission is granted by some rule', () => {
    const held: PolicyRule[] = [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['list'], apiGroups: ['*'], resources: ['*'] },
    ];
    expect(uncoveredRules(held, [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }])).toEqual([]);
  });

  it('returns each missing combination of verb, group and resource', () => {
    const held: PolicyRule[] = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['one'] }];
    const missing = uncoveredRules(held, [{ verbs: ['get'], apiGroups: [''], resources: ['pods', 'secrets'] }]);
    expect(missing.map(formatRule)).toEqual([
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    ]);
  });
});
