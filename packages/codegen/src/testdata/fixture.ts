import { fileURLToPath } from 'node:url';
import { type JsonSchema, parseYaml } from '@kubewright/schema';
import type { Crd } from '../crd/crd.ts';
import { type GenerateResult, Generator } from '../generate.ts';
import type { Problem } from '../problem.ts';

const root = fileURLToPath(new URL('./project/', import.meta.url));

const head = `
import type { IntOrString, KubernetesObject, Quantity } from '@kubewright/apimachinery';
import { ConfigMap, Pod, type PodSpec, type PodTemplateSpec, Secret } from '@kubewright/apimachinery/core/v1';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import type { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import * as runtime from '@kubewright/runtime';
import { controller, defineKind, defaulter, validator, admissionWebhook } from '@kubewright/runtime';
`;

/** Lines before a source given to {@link Fixture.generate}. */
export const headLines: number = head.split('\n').length - 1;

/** Generates from sources in memory, over one compiler that keeps the packages' types. */
export class Fixture {
  readonly #generator = new Generator({ root, sources: ['kind.ts'], projectName: 'fixture' });

  generate(source: string): Promise<GenerateResult> {
    return this.#generator.generate({ overlay: new Map([[`${root}kind.ts`, head + source]]) });
  }

  /** The schema of a field of a spec, written as `name?: type` with its comment. */
  async field(field: string, declarations = ''): Promise<JsonSchema> {
    const result = await this.spec(`interface Spec { ${field} }\n${declarations}`);
    const [first] = Object.values(result.properties ?? {});
    if (first === undefined) throw new Error('there is no field');
    return first;
  }

  /** The schema of a spec that is declared as `Spec`. */
  async spec(declarations: string): Promise<JsonSchema> {
    const result = await this.generate(`${declarations}\n${kind}`);
    const [crd] = crdsOf(result);
    const schema = crd?.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec'];
    if (schema === undefined) throw new Error(result.problems.map(({ code, what }) => `${code} ${what}`).join('\n'));
    return schema;
  }

  /** What is wrong with a spec that is declared as `Spec`. */
  async problems(declarations: string): Promise<readonly Problem[]> {
    return (await this.generate(`${declarations}\n${kind}`)).problems;
  }
}

const kind = `export const Thing = defineKind<Spec>({ group: 'example.com', version: 'v1', kind: 'Thing' });`;

/** The CRDs among generated files. */
export function crdsOf({ files }: Pick<GenerateResult, 'files'>): readonly Crd[] {
  const crds = files.filter(({ path }) => path.startsWith('config/crd/'));
  return crds.map(({ text }) => readYaml(text) as Crd);
}

/** Reads the first document of a YAML text. */
export function readYaml(text: string): unknown {
  return parseYaml(new TextEncoder().encode(text)).value;
}
