import { describe, expect, it } from 'vitest';
import { Fixture, readYaml } from '../testdata/fixture.ts';

const fixture = new Fixture();
const spec = 'interface Spec { /** @int32 */ depth: number }\n';
const own = (name: string, options: string): string =>
  `export const ${name} = defineKind<Spec>({ group: 'example.com', servedBy: 'aggregated', ${options} });\n`;

async function texts(source: string): Promise<ReadonlyMap<string, string>> {
  const { files, problems } = await fixture.generate(spec + source);
  expect(problems).toEqual([]);
  return new Map(files.map(({ path, text }) => [path, text]));
}

interface Document {
  readonly info: object;
  readonly paths: Readonly<Record<string, object>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

describe('kinds of an aggregated API server', () => {
  it('produce one APIService and one document per group version', async () => {
    const made = await texts(
      own('Old', "version: 'v1beta1', kind: 'Well', storage: false") +
        own('Well', "version: 'v1', kind: 'Well', labels: { app: 'wells' }") +
        own('Pump', "version: 'v1', kind: 'Pump', annotations: { 'cert-manager.io/inject-ca-from': 'ns/ca' }") +
        own('Gone', "version: 'v1alpha1', kind: 'Well', storage: false, served: false"),
    );
    expect([...made.keys()].filter((path) => !path.startsWith('config/rbac/'))).toEqual([
      'config/apiserver/kinds.json',
      'config/apiservice/example.com_v1.yaml',
      'config/apiservice/example.com_v1beta1.yaml',
      'config/openapi/example.com_v1.json',
      'config/openapi/example.com_v1beta1.json',
    ]);
    expect(readYaml(made.get('config/apiservice/example.com_v1.yaml') ?? '')).toMatchObject({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: {
        name: 'v1.example.com',
        labels: { app: 'wells' },
        annotations: { 'cert-manager.io/inject-ca-from': 'ns/ca' },
      },
      spec: {
        group: 'example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 100,
        service: { namespace: 'fixture-system', name: 'fixture-apiserver-service', port: 443 },
      },
    });
    const document = JSON.parse(made.get('config/openapi/example.com_v1.json') ?? '') as Document;
    expect(document.info).toMatchObject({ title: 'example.com', version: 'v1' });
    expect(Object.keys(document.paths)).toEqual([
      '/apis/example.com/v1/namespaces/{namespace}/pumps',
      '/apis/example.com/v1/namespaces/{namespace}/pumps/{name}',
      '/apis/example.com/v1/namespaces/{namespace}/wells',
      '/apis/example.com/v1/namespaces/{namespace}/wells/{name}',
      '/apis/example.com/v1/pumps',
      '/apis/example.com/v1/wells',
    ]);
    expect(document.components.schemas['com.example.v1.Well']).toMatchObject({
      properties: {
        metadata: { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] },
        spec: { required: ['depth'], properties: { depth: { type: 'integer', format: 'int32' } } },
      },
      'x-kubernetes-group-version-kind': [{ group: 'example.com', version: 'v1', kind: 'Well' }],
    });
    expect(referred(document).filter((name) => !(name in document.components.schemas))).toEqual([]);
  });

  it('get paths for the supported verbs and for subresources', async () => {
    const made = await texts(
      own('Well', "version: 'v1', kind: 'Well', scope: 'Cluster', verbs: ['get', 'list', 'watch']") +
        `interface Status { /** @int32 */ replicas?: number }
        export const Pump = defineKind<Spec, Status>({
          group: 'example.com', version: 'v1', kind: 'Pump', servedBy: 'aggregated', verbs: ['get'],
          scale: { specReplicasPath: '.spec.depth', statusReplicasPath: '.status.replicas' },
        });`,
    );
    const { paths } = JSON.parse(made.get('config/openapi/example.com_v1.json') ?? '') as Document;
    const methods = Object.entries(paths).map(([path, operations]) => {
      const names = Object.keys(operations).filter((name) => name !== 'parameters');
      return `${path.replace('/apis/example.com/v1/', '')}: ${names.join(' ')}`;
    });
    expect(methods).toEqual([
      'namespaces/{namespace}/pumps/{name}: get',
      'namespaces/{namespace}/pumps/{name}/scale: get put patch',
      'namespaces/{namespace}/pumps/{name}/status: get put patch',
      'wells: get',
      'wells/{name}: get',
    ]);
  });

  it('are described in a file for their server, which is allowed to review callers', async () => {
    const made = await texts(
      own('Old', "version: 'v1beta1', kind: 'Well', storage: false, verbs: ['get']") +
        own('Well', "version: 'v1', kind: 'Well'"),
    );
    const { kinds } = JSON.parse(made.get('config/apiserver/kinds.json') ?? '') as {
      readonly kinds: readonly object[];
    };
    const [well] = kinds;
    expect(well).toMatchObject({
      group: 'example.com',
      names: { kind: 'Well', plural: 'wells' },
      versions: [
        { name: 'v1', storage: true, schema: { openAPIV3Schema: { properties: { spec: { required: ['depth'] } } } } },
        { name: 'v1beta1', storage: false, verbs: ['get'] },
      ],
    });
    expect(well).not.toHaveProperty('conversion');
    const { rules } = readYaml(made.get('config/rbac/role.yaml') ?? '') as { readonly rules: unknown };
    expect(rules).toEqual([
      {
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['extension-apiserver-authentication'],
        verbs: ['get'],
      },
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
      { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
      { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
    ]);
  });

  it('are included in the kinds for editors', async () => {
    const { kinds } = await fixture.generate(spec + own('Well', "version: 'v1', kind: 'Well'"));
    expect(kinds.map(({ metadata }) => metadata.name)).toEqual(['wells.example.com']);
  });
});

function referred(document: Document): readonly string[] {
  return [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);
}
