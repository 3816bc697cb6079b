import { join } from 'node:path';
import { sleep, type UnstructuredObject } from '@kubewright/apimachinery';
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

/** Applies a project's samples and waits until each has the condition Ready. */
export async function awaitSamples(
  target: Target,
  { project, reporter }: { readonly project: Project; readonly reporter: Reporter },
): Promise<void> {
  for (const path of samplesOf(project)) {
    const objects = readObjects(join(project.root, path)).map(inNamespace);
    await applyObjects(target, objects);
    for (const object of objects) {
      await ready(target, object);
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

function inNamespace(object: UnstructuredObject): UnstructuredObject {
  return { ...object, metadata: { namespace: 'default', ...object.metadata } };
}

async function ready({ client, surroundings }: Target, object: UnstructuredObject): Promise<void> {
  const { clock, signal } = surroundings;
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
    why: last?.message ?? 'its status has no condition Ready: the operator has not set it',
    remedy: 'run kubewright dev without --ci to see what the operator does',
  });
}
