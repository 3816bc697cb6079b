import { ConfigMap, Pod } from '@kubewright/apimachinery/core/v1';
import type { ClientCall } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { Permissions } from './permission-report.ts';
import { requiredPermissions } from './required-permissions.ts';
import { UsedPermissions } from './used-permissions.ts';

const Site = defineKind<{ readonly a: string }, object>({ group: 'example.com', version: 'v1', kind: 'Site' });
const sites = controller({
  for: Site,
  owns: [ConfigMap],
  caches: [Pod],
  finalizers: { 'example.com/x': async () => {} },
  desired: () => ({}),
});

async function using(used: UsedPermissions, call: Partial<ClientCall> & { readonly status?: number }): Promise<void> {
  const { status = 200, ...rest } = call;
  const request = { method: 'GET', path: '/', headers: {} };
  const next = async () => ({ status, headers: {}, body: (async function* () {})() });
  await used.interceptor({ verb: 'get', attempt: 1, request, ...rest }, next);
}
const on = (resource: string, more = {}) => ({ group: '', version: 'v1', kind: 'Any', resource, ...more });

describe('Permissions', () => {
  it('derives rules from the declarations of controllers', () => {
    const permissions = new Permissions({ required: requiredPermissions([sites]), used: new UsedPermissions() });
    expect(permissions.rules).toEqual([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'delete', 'get', 'list', 'patch', 'watch'] },
      { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
      { apiGroups: ['example.com'], resources: ['sites'], verbs: ['get', 'list', 'patch', 'watch'] },
      { apiGroups: ['example.com'], resources: ['sites/finalizers'], verbs: ['update'] },
      { apiGroups: ['example.com'], resources: ['sites/status'], verbs: ['patch'] },
    ]);
  });

  it('compares granted with used, denied and declared permissions', async () => {
    const used = new UsedPermissions();
    await using(used, { verb: 'list', target: on('configmaps') });
    await using(used, { verb: 'apply', target: on('configmaps'), status: 201 });
    await using(used, { verb: 'delete', target: on('nodes', { kind: 'Node' }), status: 403 });
    await using(used, { verb: 'apply', target: on('sites', { group: 'example.com', subresource: 'status' }) });
    // A wrongly guessed plural is not a missing permission.
    await using(used, { verb: 'list', target: on('echos', { group: 'e.com', kind: 'Echo' }), status: 403 });
    await using(used, { verb: 'list', target: on('echoes', { group: 'e.com', kind: 'Echo' }) });
    await using(used, { verb: 'raw' });
    const permissions = new Permissions({ required: requiredPermissions([sites]), used });
    expect(permissions.used).toContainEqual({
      apiGroups: [''],
      resources: ['configmaps'],
      verbs: ['create', 'list', 'patch'],
    });
    const report = permissions.report([
      { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'create', 'delete', 'deletecollection'] },
      { apiGroups: ['e.com'], resources: ['*'], verbs: ['list'] },
      { apiGroups: ['example.com'], resources: ['sites/status'], verbs: ['get', 'patch'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
    ]);
    expect(report).toEqual({
      missing: ['delete nodes', 'patch configmaps'],
      superfluous: ['deletecollection configmaps', 'get sites.example.com/status'],
      unproven: ['delete configmaps'],
      tooWide: ['list *.e.com'],
    });
  });
});
