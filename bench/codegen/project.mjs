import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes a project with the given number of kinds and their controllers; returns the path of the kind that the
 * benchmark edits.
 */
export function writeProject(folder, { kinds, modules }) {
  mkdirSync(join(folder, 'src'), { recursive: true });
  symlinkSync(modules, join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'package.json'), '{ "name": "many-kinds", "type": "module" }\n');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    '{ "compilerOptions": { "module": "nodenext", "target": "es2022", "strict": true, "skipLibCheck": true } }\n',
  );
  for (let i = 0; i < kinds; i++) {
    writeFileSync(join(folder, `src/kind-${i}.ts`), kindSource(i));
    writeFileSync(join(folder, `src/controller-${i}.ts`), controllerSource(i));
  }
  return join(folder, 'src/kind-0.ts');
}

/** Returns the source of a kind with about thirty fields, like real kinds; every fifth kind embeds a pod template. */
export function kindSource(i, extra = '') {
  return `import type { IntOrString } from '@kubewright/apimachinery';
import type { LocalObjectReference, PodTemplateSpec, ResourceRequirements } from '@kubewright/apimachinery/core/v1';
import type { Condition } from '@kubewright/apimachinery/meta/v1';
import { defineKind } from '@kubewright/runtime';

/** A volume for the data. */
export interface Storage${i} {
  /** @quantity */
  readonly size: string;
  /** Class of the volume. @minLength 1 @maxLength 63 */
  readonly className?: string;
  readonly mode?: 'ReadWriteOnce' | 'ReadWriteMany';
}

/** One listener. */
export interface Listener${i} {
  /** @maxLength 63 @pattern ^[a-z]([-a-z0-9]*[a-z0-9])?$ */
  readonly name: string;
  /** @int32 @minimum 1 @maximum 65535 */
  readonly port: number;
  readonly target?: IntOrString;
  readonly protocol?: 'TCP' | 'UDP';
}

/**
 * The desired state.
 *
 * @rule self.replicas <= 5 || has(self.storage)
 * @message more than five need storage
 */
export interface Spec${i} {
  /** How many. @int32 @default 1 @minimum 0 @maximum 100 */
  readonly replicas: number;
  /** The image. @minLength 1 @maxLength 500 @immutable */
  readonly image: string;
  readonly storage?: Storage${i};
  readonly resources?: ResourceRequirements;
  readonly pullSecrets?: readonly LocalObjectReference[];
  /** @listType map @listMapKey name @maxItems 20 @rule self.all(a, self.exists_one(b, a.port == b.port)) */
  readonly listeners?: readonly Listener${i}[];
  /** @values.maxLength 100 @maxProperties 50 */
  readonly parameters?: Readonly<Record<string, string>>;
  /** @duration */
  readonly timeout?: string;
  readonly paused?: boolean;
  readonly mode?: 'fast' | 'safe' | 'off';
  ${i % 5 === 0 ? 'readonly template?: PodTemplateSpec;' : ''}
  ${extra}
}

export interface Status${i} {
  /** @int32 */
  readonly ready?: number;
  readonly phase?: string;
  /** @listType map @listMapKey type */
  readonly conditions?: readonly Condition[];
}

/** Kind ${i} of many. */
export const Kind${i} = defineKind<Spec${i}, Status${i}>({
  group: 'bench.example.com', version: 'v1', kind: 'Kind${i}', plural: 'kind${i}s', shortNames: ['k${i}'],
  columns: [{ name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' }, { name: 'Phase', jsonPath: '.status.phase' }],
});
`;
}

function controllerSource(i) {
  return `import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, Secret, Service } from '@kubewright/apimachinery/core/v1';
import { controller } from '@kubewright/runtime';
import { Kind${i} } from './kind-${i}.ts';

export const control${i} = controller({
  for: Kind${i},
  owns: [Deployment, Service, ConfigMap],
  async reconcile(object, context) {
    const secret = await context.get(Secret, { namespace: object.metadata.namespace, name: object.metadata.name });
    if (secret === undefined) return;
    const metadata = { name: object.metadata.name, namespace: object.metadata.namespace };
    await context.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { a: 'b' } });
  },
});
`;
}
