import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { accessFor, isDeveloper } from './access.ts';

describe('accessFor', () => {
  const account = stored(ServiceAccount({ metadata: { name: 'test-dev', namespace: 'default' } }));

  it('binds a role of the shared namespace to the service account', () => {
    const [role, binding] = accessFor(account, 'full');
    expect(role).toMatchObject({
      metadata: { name: 'test-dev-r', namespace: 'namespace-dev' },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
    });
    expect(binding).toMatchObject({
      metadata: { name: 'test-dev-rb', namespace: 'namespace-dev' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'test-dev-r' },
      subjects: [{ kind: 'ServiceAccount', name: 'test-dev', namespace: 'default' }],
    });
  });

  it('can grant only the verb list', () => {
    expect(accessFor(account, 'list-only')[0].rules).toEqual([{ apiGroups: ['*'], resources: ['*'], verbs: ['list'] }]);
  });
});

describe('isDeveloper', () => {
  it('accepts names that end in -dev', () => {
    expect(['test-dev', 'dev', 'test-dev-2', 'default'].filter(isDeveloper)).toEqual(['test-dev']);
  });
});
