import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseApiVersion, sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { CliError } from '../program/cli-error.ts';
import type { Reporter } from '../program/reporter.ts';
import type { Project } from '../project/find-project.ts';
import { samplesOf } from '../project/sample-files.ts';
import { readObjects } from '../render/kustomize.ts';
import { applyObjects, kindOf, type Target } from './apply-objects.ts';

/** The time in which a sample must become ready, in milliseconds. */
const patienceMs = 60_000;
const pollMs = 50;

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
}

/** Applies a project's samples and waits until each has the condition Ready, unless its kind has no status. */
export async function awaitSamples(
  target: Target,
  { project, reporter }: { readonly project: Project; readonly reporter: Reporter },
): Promise<void> {
  for (const path of samplesOf(project)) {
    const objects = readObjects(join(project.root, path)).map(inNamespace);
    await applyObjects(target, objects);
    for (const object of objects) {
      if (!hasNoStatus(project, object)) await ready(target, object);
      reporter.step('ready', `${object.kind} ${object.metadata?.name}`);
    }
  }
}

/** Applies a project's samples and returns the objects. */
export async function applySamples(
  target: Target,
  { project }: { readonly project: Project },
): Promise<readonly UnstructuredObject[]> {
  const objects = samplesOf(project).flatMap((path) => readObjects(join(project.root, path)).map(inNamespace));
  await applyObjects(target, objects);
  return objects;
}

/** Returns an object with the namespace `default` if it has none. */
export function inNamespace(object: UnstructuredObject): UnstructuredObject {
  return { ...object, metadata: { namespace: 'default', ...object.metadata } };
}

/** True for kinds of the project's API server that declare no status. */
function hasNoStatus({ root }: Pick<Project, 'root'>, object: UnstructuredObject): boolean {
  const path = join(root, 'config', 'apiserver', 'kinds.json');
  if (!existsSync(path)) return false;
  const { kinds } = JSON.parse(readFileSync(path, 'utf8')) as ServedKinds;
  const { group, version } = parseApiVersion(object.apiVersion);
  const versions = kinds.find((each) => each.group === group && each.names.kind === object.kind)?.versions;
  const properties = versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema?.properties;
  return properties !== undefined && !('status' in properties);
}

/** The content of `config/apiserver/kinds.json`. */
interface ServedKinds {
  readonly kinds: readonly {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema?: { readonly openAPIV3Schema?: { readonly properties?: object } };
    }[];
  }[];
}

async function ready({ client, environment }: Target, object: UnstructuredObject): Promise<void> {
  const { clock, signal } = environment;
  const resource = client.resource(await kindOf(client, object));
  const { name = '', namespace = 'default' } = object.metadata ?? {};
  let last: Condition | undefined;
  for (
    const end = clock.monotonic() + patienceMs;
    clock.monotonic() < end;
    await sleep(clock, { ms: pollMs, signal })
  ) {
    const { status } = (await resource.get({ name, namespace }, { signal })) as {
      readonly status?: { readonly conditions?: readonly Condition[] };
    };
    last = status?.conditions?.find(({ type }) => type === 'Ready');
    if (last?.status === 'True') return;
  }
  throw new CliError('KW7307', {
    what: `the sample ${object.kind} ${name} is not ready after ${patienceMs / 1000} s`,
    why: last?.message ?? 'the operator has not set the condition Ready in its status',
    remedy: 'run kubewright dev without --ci to see what the operator does',
  });
}
