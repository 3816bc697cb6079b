import { describe, expect, it } from 'vitest';
import { parseRequestInfo } from '../request-info/index.ts';
import { auditDecision, parseAuditPolicy } from './audit-policy.ts';

const policy = (...rules: readonly object[]) => ({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules });
const user = { username: 'alice', groups: ['devs'] };
const levelOf = (method: string, path: string, ...rules: readonly object[]) =>
  auditDecision(parseAuditPolicy(policy(...rules)), { info: parseRequestInfo(method, path), user }).level;

describe('auditDecision', () => {
  const pods = '/api/v1/namespaces/shop/pods';
  it.each<[string, string, string, object[], string]>([
    ['the first rule that matches', 'GET', pods, [{ level: 'Request' }, { level: 'None' }], 'Request'],
    ['None if no rule matches', 'GET', pods, [{ level: 'Request', users: ['bob'] }], 'None'],
    ['rules for groups', 'GET', pods, [{ level: 'Request', userGroups: ['devs'] }], 'Request'],
    ['rules for verbs', 'POST', pods, [{ level: 'Request', verbs: ['create'] }], 'Request'],
    ['rules for namespaces', 'GET', pods, [{ level: 'Request', namespaces: ['other'] }], 'None'],
    ['groups of resources', 'GET', pods, [{ level: 'Request', resources: [{ group: 'apps' }] }], 'None'],
    ['all resources of a group', 'GET', pods, [{ level: 'Request', resources: [{}] }], 'Request'],
    [
      'not subresources with the resource',
      'GET',
      `${pods}/a/log`,
      [{ level: 'Request', resources: [{ resources: ['pods'] }] }],
      'None',
    ],
    [
      'subresources by name',
      'GET',
      `${pods}/a/log`,
      [{ level: 'Request', resources: [{ resources: ['pods/log'] }] }],
      'Request',
    ],
    [
      'all subresources',
      'GET',
      `${pods}/a/log`,
      [{ level: 'Request', resources: [{ resources: ['pods/*'] }] }],
      'Request',
    ],
    [
      'a subresource of all',
      'GET',
      `${pods}/a/log`,
      [{ level: 'Request', resources: [{ resources: ['*/log'] }] }],
      'Request',
    ],
    ['everything', 'GET', `${pods}/a/log`, [{ level: 'Request', resources: [{ resources: ['*'] }] }], 'Request'],
    [
      'names',
      'GET',
      `${pods}/b`,
      [{ level: 'Request', resources: [{ resources: ['pods'], resourceNames: ['a'] }] }],
      'None',
    ],
    ['paths', 'GET', '/healthz/ping', [{ level: 'Metadata', nonResourceURLs: ['/healthz*'] }], 'Metadata'],
    ['no paths for resources', 'GET', pods, [{ level: 'Metadata', nonResourceURLs: ['*'] }], 'None'],
    ['no resources for paths', 'GET', '/version', [{ level: 'Metadata', resources: [{}] }], 'None'],
  ])('follows %s', (_, method, path, rules, level) => {
    expect(levelOf(method, path, ...rules)).toBe(level);
  });

  it('omits the stages that the policy or the rule lists; the rule decides about managed fields', () => {
    const parsed = parseAuditPolicy({
      ...policy({ level: 'Request', omitStages: ['ResponseStarted'], omitManagedFields: false }),
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
    });
    expect(auditDecision(parsed, { info: parseRequestInfo('GET', pods), user })).toEqual({
      level: 'Request',
      omitStages: ['RequestReceived', 'ResponseStarted'],
      omitManagedFields: false,
    });
  });
});

describe('parseAuditPolicy', () => {
  it.each<[unknown, string]>([
    [null, 'the apiVersion must be audit.k8s.io/v1, and the kind must be Policy'],
    [
      { ...policy({ level: 'None' }), apiVersion: 'audit.k8s.io/v1beta1' },
      'the apiVersion must be audit.k8s.io/v1, and the kind must be Policy',
    ],
    [policy(), 'rules: must have at least one rule'],
    [policy({}), 'rules[0].level: must be one of None, Metadata, Request, RequestResponse'],
    [policy({ level: 'None', users: 'alice' }), 'rules[0].users: must be a list of strings'],
    [
      policy({ level: 'None', omitStages: ['Later'] }),
      'rules[0].omitStages: must be a list of the stages RequestReceived',
    ],
    [policy({ level: 'None', nonResourceURLs: ['healthz'] }), '"healthz" must be "*", or begin with "/"'],
    [policy({ level: 'None', nonResourceURLs: ['/a*b'] }), '"/a*b" must be "*", or begin with "/"'],
    [
      policy({ level: 'None', nonResourceURLs: ['/a'], namespaces: ['b'] }),
      'rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      policy({ level: 'None', resources: [{ resourceNames: ['a'] }] }),
      'using resourceNames requires at least one resource',
    ],
  ])('rejects %j', (value, why) => {
    expect(() => parseAuditPolicy(value)).toThrow(
      expect.objectContaining({ code: 'KW5040', why: expect.stringContaining(why) }),
    );
  });
});
