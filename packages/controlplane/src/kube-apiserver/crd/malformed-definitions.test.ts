import { describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

// Each response was recorded from kube-apiserver 1.36.3.
describe('a malformed definition', () => {
  const names = { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const spec = { group: 'example.com', scope: 'Namespaced', names, versions: [version] };
  const withField = (fields: object): object => ({
    ...spec,
    versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { a: fields } } } }],
  });
  const label = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`;
  const nothing = [
    'metadata.name: Invalid value: "foos.example.com": must be spec.names.plural+"."+spec.group',
    'spec.group: Required value',
    'spec.scope: Required value',
    'spec.versions: Invalid value: null: must have exactly one version marked as storage version',
    'spec.names.plural: Required value',
    'spec.names.singular: Required value',
    'spec.names.kind: Required value',
    'spec.names.listKind: Required value',
    'status.storedVersions: Invalid value: null: must have at least one stored version',
  ];

  it.each<[string, unknown, number, readonly string[]]>([
    ['no spec', undefined, 422, nothing],
    ['a spec that is null', null, 422, nothing],
    ['an empty spec', {}, 422, nothing],
    [
      'a spec that is a list',
      [],
      400,
      [
        'json: cannot unmarshal array into Go struct field CustomResourceDefinition.spec of type v1.CustomResourceDefinitionSpec',
      ],
    ],
    [
      'a version without a name',
      { ...spec, versions: [{ ...version, name: undefined }] },
      422,
      [`spec.versions[0].name: Invalid value: "": ${label}`],
    ],
    [
      'a version that is null',
      { ...spec, versions: [null] },
      422,
      ['spec.versions[0].schema.openAPIV3Schema: Required value', `spec.versions[0].name: Invalid value: "": ${label}`],
    ],
    [
      'no versions',
      { ...spec, versions: undefined },
      422,
      ['spec.versions: Invalid value: null: must have exactly one version'],
    ],
    ['no names', { ...spec, names: undefined }, 422, ['spec.names.plural: Required value']],
    ['a conversion without a strategy', { ...spec, conversion: {} }, 422, ['spec.conversion.strategy: Required value']],
    [
      'a conversion with an unknown strategy',
      { ...spec, conversion: { strategy: 'constructor' } },
      422,
      ['supported values: "None", "Webhook"'],
    ],
    [
      'a oneOf that is not a list',
      withField({ oneOf: {} }),
      400,
      ['json: cannot unmarshal object into Go struct field'],
    ],
    ['a oneOf with null', withField({ oneOf: [null] }), 422, []],
    [
      'rules that are not a list',
      withField({ 'x-kubernetes-validations': {} }),
      400,
      ['json: cannot unmarshal object into Go struct field'],
    ],
    [
      'a field that is null',
      {
        ...withField({}),
        versions: [{ ...version, schema: { openAPIV3Schema: { type: 'object', properties: { a: null } } } }],
      },
      422,
      [],
    ],
  ])('with %s is rejected', async (_name, given, code, texts) => {
    await using plane = await PlaneUnderTest.start();
    const body = { metadata: { name: 'foos.example.com' }, spec: given };
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    const { status, text } = await plane.send('POST', path, body);
    expect(status).toBe(code);
    for (const expected of texts) expect(JSON.parse(text).message).toContain(expected);
    const apply = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', ...body };
    const type = { 'content-type': 'application/apply-patch+yaml' };
    await plane.send('PATCH', `${path}/foos.example.com?fieldManager=m`, apply, type);
    expect(plane.errors).toEqual([]);
  });
});
