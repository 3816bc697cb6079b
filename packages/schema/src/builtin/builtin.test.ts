import { describe, expect, it } from 'vitest';
import { builtinSchema } from './builtin-schema.ts';
import { BuiltinDescriptions } from './descriptions.ts';
import { builtinDefinitions, builtinOpenApiSchema, builtinReferences } from './open-api.ts';
import { builtinResources, findBuiltinKind, findBuiltinResource } from './resources.ts';

describe('builtinSchema', () => {
  const deployment = builtinSchema({ group: 'apps', version: 'v1', kind: 'Deployment' });
  const spec = deployment?.properties?.get('spec');

  it('includes the list types and merge keys of lists', () => {
    const containers = spec?.properties?.get('template')?.properties?.get('spec')?.properties?.get('containers');
    expect(containers).toMatchObject({
      type: 'array',
      listType: 'map',
      listMapKeys: ['name'],
      patchMergeKey: 'name',
      patchStrategies: ['merge'],
    });
    expect(containers?.items?.properties?.get('ports')).toMatchObject({ listMapKeys: ['containerPort', 'protocol'] });
    expect(spec?.properties?.get('strategy')?.patchStrategies).toEqual(['retainKeys']);
    expect(spec?.properties?.get('selector')?.mapType).toBe('atomic');
  });

  it('describes quantities, times and other special types by their JSON form', () => {
    const port = builtinSchema('io.k8s.api.core.v1.ContainerPort')?.properties;
    expect(port?.get('protocol')?.default).toBe('TCP');
    expect(spec?.properties?.get('replicas')).toMatchObject({ type: 'integer', format: 'int32' });
    expect(builtinSchema('io.k8s.apimachinery.pkg.util.intstr.IntOrString')?.intOrString).toBe(true);
    expect(builtinSchema('io.k8s.apimachinery.pkg.runtime.RawExtension')?.type).toBe('any');
  });

  it('has the fields of a structure in the order of the Go structure', () => {
    const claim = builtinSchema('io.k8s.api.core.v1.PersistentVolumeClaimSpec')?.properties?.keys() ?? [];
    expect([...claim].slice(0, 3)).toEqual(['accessModes', 'selector', 'resources']);
    const volume = builtinSchema('io.k8s.api.core.v1.Volume')?.properties?.keys() ?? [];
    expect([...volume].slice(0, 3)).toEqual(['name', 'hostPath', 'emptyDir']);
    expect([...(deployment?.properties?.keys() ?? [])]).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
  });

  it('supports recursive definitions', () => {
    const props = builtinSchema('io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps');
    expect(props?.properties?.get('not')).toBe(props);
  });

  it('resolves every field of every definition', () => {
    for (const name of builtinDefinitions()) {
      for (const node of builtinSchema(name)?.properties?.values() ?? []) expect(node.type).toBeTypeOf('string');
    }
  });

  it('returns undefined for kinds that are not built in', () => {
    expect(builtinSchema({ group: 'example.com', version: 'v1', kind: 'Deployment' })).toBeUndefined();
  });
});

describe('builtinResources', () => {
  it('lists the resources of a fresh API server, core first', () => {
    expect(builtinResources()[0]).toMatchObject({ group: '', version: 'v1' });
    expect(builtinResources()).toHaveLength(68);
  });

  it('has a schema for every resource, and columns for resources that can be listed', () => {
    for (const resource of builtinResources()) {
      expect(resource.schema.properties?.has('metadata'), resource.resource).toBe(true);
      if (resource.verbs.includes('list')) expect(resource.columns[0]?.type, resource.resource).toBeDefined();
    }
  });

  it('returns the kinds of subresources', () => {
    const pods = findBuiltinResource({ group: '', version: 'v1', resource: 'pods' });
    expect(pods?.subresources.find(({ name }) => name === 'eviction')).toMatchObject({
      group: 'policy',
      kind: 'Eviction',
    });
    const deployment = findBuiltinKind({ group: 'apps', version: 'v1', kind: 'Deployment' });
    expect(deployment?.shortNames).toEqual(['deploy']);
    expect(deployment?.subresources.map(({ name, kind }) => [name, kind])).toEqual([
      ['scale', 'Scale'],
      ['status', 'Deployment'],
    ]);
  });
});

describe('builtinOpenApiSchema', () => {
  it('refers only to built-in definitions', () => {
    const names = new Set(builtinDefinitions());
    for (const name of names) {
      expect(builtinOpenApiSchema(name)).toBeDefined();
      for (const reference of builtinReferences(name)) expect(names.has(reference)).toBe(true);
    }
  });

  it('includes extensions and enumerations', () => {
    expect(builtinOpenApiSchema('io.k8s.api.core.v1.ContainerPort')).toMatchObject({
      type: 'object',
      required: ['containerPort'],
      properties: { protocol: { type: 'string', default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] } },
    });
    expect(builtinOpenApiSchema('io.k8s.api.core.v1.Pod')?.['x-kubernetes-group-version-kind']).toEqual([
      { group: '', version: 'v1', kind: 'Pod' },
    ]);
  });
});

describe('BuiltinDescriptions', () => {
  it('reads the comments of kubernetes-types', () => {
    const descriptions = new BuiltinDescriptions();
    expect(descriptions.description('io.k8s.api.core.v1.Pod')).toMatch(/^Pod is a collection of containers/);
    expect(descriptions.description('io.k8s.api.core.v1.Pod', 'spec')).toMatch(
      /^Specification of the desired behavior/,
    );
    expect(descriptions.description('io.k8s.api.apps.v1.Deployment', 'status')).toMatch(/^Most recently observed/);
    expect(descriptions.description('io.k8s.api.core.v1.NoSuch')).toBeUndefined();
  });
});
