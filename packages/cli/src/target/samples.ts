import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseApiVersion, StatusError, sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { CliError } from '../program/cli-error.ts';
import type { Reporter } from '../program/reporter.ts';
import type { Project } from '../project/find-project.ts';
import { samplesOf } from '../project/sample-files.ts';
import { readObjects } from '../render/kustomize.ts';
import { applyObjects, kindOf, type Target } from './apply-objects.ts';

/** The time in which a sample must become ready, in milliseconds. */
const patienceMs = 60_000;
const pollMs = 50;
/** The time in which a stalled sample must recover, in milliseconds. */
const stalledMs = 5_000;

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
}

/** Applies a project's samples and waits until each has the Ready condition, unless its kind has no status. */
export async function awaitSamples(
  target: Target,
  { project, reporter }: { readonly project: Project; readonly reporter: Reporter },
): Promise<void> {
  for (const path of samplesOf(project)) {
    const objects = await applySample(target, { project, path });
    for (const object of objects) {
      if (!hasNoStatus(project, object)) await ready(target, object);
      reporter.step('ready', `${object.kind} ${object.metadata?.name}`);
    }
  }
}

/** Returns an error that names the sample for one that was rejected or has an unknown kind; returns other errors unchanged. */
function rejected(path: string, error: unknown): unknown {
  const what = `cannot apply the sample ${path}`;
  if (error instanceof StatusError) {
    const remedy = 'fix the sample, or the types of its kind if the sample is right';
    return new CliError('KW7306', { what, why: error.message, remedy }, { cause: error });
  }
  if (!(error instanceof CliError)) return error;
  const { text, code } = error;
  return new CliError(code, { what, why: `${text.what}: ${text.why}`, remedy: text.remedy }, { cause: error });
}

/** Applies a project's samples and returns the objects. */
export async function applySamples(
  target: Target,
  { project }: { readonly project: Project },
): Promise<readonly UnstructuredObject[]> {
  const objects: UnstructuredObject[] = [];
  for (const path of samplesOf(project)) objects.push(...(await applySample(target, { project, path })));
  return objects;
}

/**
 * Applies the objects of one sample file and returns them.
 *
 * @throws CliError KW7306 or KW7305 with the path if the API server rejects an object or does not serve its kind
 */
async function applySample(
  target: Target,
  { project, path }: { readonly project: Project; readonly path: string },
): Promise<readonly UnstructuredObject[]> {
  const objects = readObjects(join(project.root, path)).map(inNamespace);
  await applyObjects(target, objects).catch((error: unknown) => {
    throw rejected(path, error);
  });
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
  let conditions: readonly Condition[] | undefined;
  let stalledFrom: number | undefined;
  for (
    const end = clock.monotonic() + patienceMs;
    clock.monotonic() < end;
    await sleep(clock, { ms: pollMs, signal })
  ) {
    const { status } = (await resource.get({ name, namespace }, { signal })) as {
      readonly status?: { readonly conditions?: readonly Condition[] };
    };
    conditions = status?.conditions;
    if (isTrue('Ready', conditions)) return;
    // A stalled object does not become ready by itself, but a child that failed may still recover.
    stalledFrom = isTrue('Stalled', conditions) ? (stalledFrom ?? clock.monotonic()) : undefined;
    if (stalledFrom !== undefined && clock.monotonic() >= stalledFrom + stalledMs) {
      throw notReady(object, { since: `has been stalled for ${stalledMs / 1000} s`, conditions });
    }
  }
  throw notReady(object, { since: `is not ready after ${patienceMs / 1000} s`, conditions });
}

function isTrue(type: string, conditions: readonly Condition[] | undefined): boolean {
  return conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
}

function notReady(
  object: UnstructuredObject,
  { since, conditions }: { readonly since: string; readonly conditions: readonly Condition[] | undefined },
): CliError {
  const what = `the sample ${object.kind} ${object.metadata?.name ?? ''} ${since}`;
  const why = conditions?.find(({ type }) => type === 'Ready')?.message;
  if (why) return new CliError('KW7307', { what, why, remedy: 'fix the cause, or the sample in config/samples' });
  return new CliError('KW7307', {
    what,
    why: 'the operator has not set the Ready condition in the status of the sample',
    remedy: 'read the log of the operator above, and set the Ready condition; `desired` sets it for you',
  });
}
