import { join } from 'node:path';
import { isAlreadyExists, isNotFound, StatusError, type UnstructuredObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import type { Crd } from '@kubewright/codegen';
import type { Reporter } from '../program/reporter.ts';
import { isWebhookFailure } from '../program/webhook-failure.ts';
import type { Project } from '../project/find-project.ts';
import { samplesOf } from '../project/sample-files.ts';
import { readObjects } from '../render/kustomize.ts';
import { kindOf, type Target } from '../target/apply-objects.ts';

const maxNamed = 5;
const maxReported = 12;
/** The server's message for validation rules that it skips until other errors are fixed. */
const notChecked = 'some validation rules were not checked';

/** Returns a CRD as stored on the server, or undefined if it does not exist. */
export async function installedCrd(
  { client, environment }: Target,
  name: string,
): Promise<UnstructuredObject | undefined> {
  try {
    const crd = await client.resource(CustomResourceDefinition).get({ name }, { signal: environment.signal });
    return crd as unknown as UnstructuredObject; // the same object with a less specific type
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Reports how a kind has changed and which stored objects may be affected. */
export async function reportKindChange(
  target: Target,
  parts: { readonly before: UnstructuredObject; readonly after: UnstructuredObject; readonly reporter: Reporter },
): Promise<void> {
  const { before, after, reporter } = parts;
  // Imported lazily: it loads a compiler, which would slow down startup.
  const { compareCrds } = await import('@kubewright/codegen');
  // The cast is safe: both CRDs were generated, or accepted by a server.
  const changes = compareCrds(before as unknown as Crd, after as unknown as Crd);
  const reported = changes.filter(({ kind }) => kind !== 'description-changed');
  for (const { severity, path, version, message } of reported.slice(0, maxReported)) {
    const where = path === '' ? (version ?? '') : path;
    reporter.step(
      severity === 'breaking' ? 'breaking change' : 'kind changed',
      `${where} ${message}`.trim(),
      severity === 'breaking' ? 'bad' : 'good',
    );
  }
  if (reported.length > maxReported) reporter.text(`  … and ${reported.length - maxReported} more\n`);
  if (!reported.some(({ severity }) => severity === 'breaking')) return;
  const names = await storedNames(target, after);
  if (names.length > 0) {
    const them = names.length === 1 ? 'this object is' : 'these objects are';
    reporter.step('stored objects', `check that ${them} still valid: ${names.join(', ')}`, 'bad');
  }
}

/**
 * Validates a project's samples against its kinds on the server, without storing them. Dry-runs a create even for stored
 * samples, because an update accepts unchanged values that the schema now forbids.
 */
export async function checkSamples(
  { client, environment }: Target,
  { project, reporter }: { readonly project: Project; readonly reporter: Reporter },
): Promise<void> {
  const trying = client.with({ dryRun: true, fieldValidation: 'Strict' });
  for (const path of samplesOf(project)) {
    for (const object of readObjects(join(project.root, path))) {
      const { name = '', namespace = 'default' } = object.metadata ?? {};
      try {
        const kind = await kindOf(client, object);
        const place = kind.scope === 'Namespaced' ? { namespace } : {};
        const made = { ...object, metadata: { ...object.metadata, name, ...place } };
        await trying.resource(kind).create(made, { fieldManager: 'kubewright', signal: environment.signal });
      } catch (error) {
        // The server checks the name only after the object has passed validation.
        if (isAlreadyExists(error)) continue;
        if (!(error instanceof StatusError)) throw error;
        // The operator is still starting, so the webhook has not validated the object.
        if (isWebhookFailure(error)) continue;
        reporter.step('invalid sample', `${path}: ${reasonOf(error)}`, 'bad');
      }
    }
  }
}

function reasonOf({ status, message }: StatusError): string {
  const causes = (status.details?.causes ?? [])
    .filter(({ message: text = '' }) => !text.includes(notChecked))
    .map(({ field, message: text }) => `${field ?? ''}: ${text ?? ''}`);
  return causes.length > 0 ? causes.join('; ') : (status.message ?? message);
}

async function storedNames({ client, environment }: Target, crd: UnstructuredObject): Promise<readonly string[]> {
  const { group, names, versions } = (crd as unknown as Crd).spec;
  const version = versions.find(({ storage }) => storage)?.name ?? '';
  const kind = await kindOf(client, { apiVersion: `${group}/${version}`, kind: names.kind, metadata: {} });
  const { items } = await client.resource(kind).list({ limit: maxNamed, signal: environment.signal });
  return items.map(
    ({ metadata }) => `${metadata?.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata?.name}`,
  );
}
