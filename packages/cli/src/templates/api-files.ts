import { fileNameOf, variableOf } from '../project/names.ts';
import type { ProjectFile } from '../project/write-files.ts';

/** A kind to scaffold. */
export interface ApiNames {
  /** With the domain. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string | undefined;
  readonly scope: 'Namespaced' | 'Cluster';
  /** The name of this version in code, if the kind has other versions and one of them is stored. @defaultValue the kind's name */
  readonly furtherName?: string | undefined;
  /** True if an API server of the project serves the kind. @defaultValue false */
  readonly isAggregated?: boolean | undefined;
  /** @defaultValue true */
  readonly hasStatus?: boolean | undefined;
}

/** Returns the types of a kind and a sample object. */
export function apiFiles(names: ApiNames): readonly ProjectFile[] {
  const { version, kind } = names;
  return [
    { path: `src/api/${version}/${fileNameOf(kind)}.ts`, text: api(names) },
    { path: samplePath(names), text: sample(names) },
  ];
}

/** Returns the controller of a kind and its test. */
export function controllerFiles(names: ApiNames): readonly ProjectFile[] {
  const file = fileNameOf(names.kind);
  return [
    { path: `src/controllers/${file}.ts`, text: controller(names) },
    { path: `src/controllers/${file}.test.ts`, text: test(names) },
  ];
}

/** Returns the path of a version's sample. */
export function samplePath({ group, version, kind }: Pick<ApiNames, 'group' | 'version' | 'kind'>): string {
  return `config/samples/${group.split('.')[0]}_${version}_${kind.toLowerCase()}.yaml`;
}

function api({ group, version, kind, plural, scope, furtherName, isAggregated, hasStatus = true }: ApiNames): string {
  const name = furtherName ?? kind;
  const more = [
    ...(furtherName !== undefined ? ['  storage: false,\n'] : []),
    ...(plural === undefined ? [] : [`  plural: '${plural}',\n`]),
    ...(scope === 'Namespaced' ? [] : [`  scope: '${scope}',\n`]),
    ...(isAggregated ? ["  servedBy: 'aggregated',\n"] : []),
  ].join('');
  const imports = hasStatus ? "import type { Condition } from '@kubewright/apimachinery/meta/v1';\n" : '';
  const ready = `    { name: 'Ready', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },\n`;
  return `import type { ObjectOf } from '@kubewright/apimachinery';
${imports}import { defineKind } from '@kubewright/runtime';

/** The desired state. */
export interface ${name}Spec {
  /** ${hasStatus ? 'Text to store in a ConfigMap.' : 'Some text.'} @minLength 1 @maxLength 1024 */
  readonly message: string;
}
${hasStatus ? status(name) : ''}
/** ${kind} is ${isAggregated ? 'served by the API server of this project' : 'managed by this operator'}. */
export const ${name} = defineKind<${name}Spec${hasStatus ? `, ${name}Status` : ''}>({
  group: '${group}',
  version: '${version}',
  kind: '${kind}',
${more}  columns: [
${hasStatus ? ready : ''}    { name: 'Age', jsonPath: '.metadata.creationTimestamp', type: 'date' },
  ],
});
export type ${name} = ObjectOf<typeof ${name}>;
`;
}

function status(name: string): string {
  return `
/** The observed state. */
export interface ${name}Status {
  /** Generation that this status was computed for. @int64 */
  readonly observedGeneration?: number;
  /** Standard conditions. @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}
`;
}

function sample({ group, version, kind, scope, furtherName }: ApiNames): string {
  // Samples of two versions with the same name would be the same object.
  const suffix = furtherName !== undefined ? `-${version}` : '';
  const namespace = scope === 'Namespaced' ? '  namespace: default\n' : '';
  return `# yaml-language-server: $schema=../../schemas/${group}/${kind.toLowerCase()}_${version}.json
apiVersion: ${group}/${version}
kind: ${kind}
metadata:
  name: ${fileNameOf(kind)}-sample${suffix}
${namespace}spec:
  message: hello
`;
}

function controller({ version, kind, scope }: ApiNames): string {
  const variable = variableOf(kind);
  // A cluster-scoped object has no namespace that its children could share.
  const namespace = scope === 'Namespaced' ? '' : ", namespace: 'default'";
  // Objects of two kinds may have the same name, so the child's name contains the kind.
  const child = `\${metadata.name}-${kind.toLowerCase()}-message`;
  return `import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import { ${kind} } from '../api/${version}/${fileNameOf(kind)}.ts';

/** Maintains a ConfigMap with the message of each ${kind}. */
export const ${variable} = controller({
  for: ${kind},
  owns: [ConfigMap],
  // The condition Ready is derived from the children; other status fields go into \`status\`.
  desired: (object) => ({ children: [configMapFor(object)], status: {} }),
});

/** Builds the desired ConfigMap; a pure function, so it is easy to test. */
export function configMapFor({ metadata, spec }: ${kind}): ConfigMap {
  return ConfigMap({
    metadata: { name: \`${child}\`${namespace} },
    data: { message: spec.message },
  });
}
`;
}

function test({ version, kind, scope }: ApiNames): string {
  const file = fileNameOf(kind);
  const variable = variableOf(kind);
  const child = `one-${kind.toLowerCase()}-message`;
  const namespace = scope === 'Namespaced' ? ", namespace: 'default'" : '';
  return `import { reconcileOnce } from '@kubewright/testing';
import { describe, expect, it } from 'vitest';
import { ${kind} } from '../api/${version}/${file}.ts';
import { configMapFor, ${variable} } from './${file}.ts';

const object = ${kind}({ metadata: { name: 'one'${namespace} }, spec: { message: 'hi' } });

describe('configMapFor', () => {
  it('contains the message', () => {
    expect(configMapFor(object)).toMatchObject({ metadata: { name: '${child}' }, data: { message: 'hi' } });
  });
});

describe('${variable}', () => {
  it('applies the ConfigMap once, then reports Ready', async () => {
    const { writes, status, again } = await reconcileOnce(${variable}, { objects: [object] });
    expect(writes).toMatchObject([
      { kind: 'ConfigMap', name: '${child}' },
      { kind: '${kind}', subresource: 'status' },
    ]);
    expect(status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
    expect((await again()).writes).toEqual([]);
  });
});
`;
}
