import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isNotFound, type UnstructuredObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { stringify } from 'yaml';
import { type LogRecord, textOf, writesOf } from '../operator-log/log-record.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { readObjects } from '../render/kustomize.ts';
import { applyObjects, kindOf, type Target } from '../target/apply-objects.ts';
import { inNamespace } from '../target/samples.ts';
import { endOfReconcile, OperatorSandbox } from './operator-sandbox.ts';

/** The time in which the operator must reconcile the object, in milliseconds. */
const patienceMs = 20_000;

/**
 * Applies the objects in a file. For each object of a project's kind, prints the objects that one reconcile creates,
 * and the resulting status. Runs in an empty temporary cluster.
 */
export async function renderObject(context: Context, file: string): Promise<void> {
  const { environment, reporter } = context;
  const project = requireProject(environment.cwd);
  const path = resolve(environment.cwd, file);
  if (!existsSync(path)) throw noFile(file);
  const objects = readObjects(path).map(inNamespace);
  await using sandbox = await OperatorSandbox.start(context, { project });
  await applyObjects(sandbox.target, objects);
  const own = objects.filter(({ apiVersion }) => isOfProject(apiVersion, project));
  if (own.length === 0) throw notOurs(file, { project, objects });
  for (const object of own) {
    const record = await sandbox.record(endOfReconcile(object), { withinMs: patienceMs });
    if (record?.['failed'] !== false) throw notReconciled(object, { record, sandbox });
    const children = await createdBy(sandbox.target, record);
    const status = withoutTimes((await read(sandbox.target, object)).status ?? {});
    const whose = `${object.kind} ${object.metadata?.name}`;
    const text = [
      ...children.map((child) => `---\n${stringify(withoutServerFields(child))}`),
      `---\n# status of ${whose}\n${stringify({ status })}`,
    ].join('');
    reporter.result({ object: whose, children: children.map(withoutServerFields), status }, text);
  }
}

function isOfProject(apiVersion: string, { domain }: Project): boolean {
  const group = apiVersion.split('/')[0] ?? '';
  return group === domain || group.endsWith(`.${domain}`);
}

/** Reads the objects that a reconcile reports as created. */
async function createdBy(target: Target, record: LogRecord): Promise<readonly UnstructuredObject[]> {
  const found: UnstructuredObject[] = [];
  for (const { action, apiVersion, kind, name, namespace } of writesOf(record)) {
    if (action !== 'created') continue;
    const metadata = { name, ...defined({ namespace }) };
    try {
      found.push(await read(target, { apiVersion, kind, metadata }));
    } catch (error) {
      // Created and deleted again.
      if (!isNotFound(error)) throw error;
    }
  }
  return found;
}

async function read(
  { client, environment }: Target,
  object: UnstructuredObject,
): Promise<UnstructuredObject & { readonly status?: unknown }> {
  const { name = '', namespace } = object.metadata ?? {};
  const resource = client.resource(await kindOf(client, object));
  return resource.get({ name, ...defined({ namespace }) }, { signal: environment.signal });
}

/** Removes fields that the server adds to every object. */
function withoutServerFields(object: UnstructuredObject): object {
  const {
    apiVersion,
    kind,
    metadata = {},
    status: _status,
    ...rest
  } = object as UnstructuredObject & {
    readonly status?: unknown;
  };
  const { name, namespace, labels, annotations, ownerReferences, finalizers } = metadata;
  const owners = ownerReferences?.map(({ uid: _uid, ...owner }) => owner);
  const kept = { name, namespace, labels, annotations, ownerReferences: owners, finalizers };
  const known = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  return { apiVersion, kind, metadata: known, ...rest, ...(kind === 'Service' && { spec: withoutAddress(rest) }) };
}

/** Removes the cluster IP, which differs between runs; keeps `None`, which a manifest can specify. */
function withoutAddress({ spec }: Readonly<Record<string, unknown>>): unknown {
  const { clusterIP, clusterIPs: _addresses, ...others } = spec as Readonly<Record<string, unknown>>; // every service has one
  return clusterIP === 'None' ? { ...others, clusterIP } : others;
}

/** Removes transition times, which differ between runs. */
function withoutTimes(status: unknown): unknown {
  const { conditions, ...others } = status as { readonly conditions?: readonly object[] }; // The types declare the status as an object.
  if (!Array.isArray(conditions)) return status;
  const plain = conditions.map((each) =>
    Object.fromEntries(Object.entries(each).filter(([name]) => name !== 'lastTransitionTime')),
  );
  return { ...others, conditions: plain };
}

function noFile(file: string): CliError {
  return new CliError('KW7603', {
    what: `cannot render ${file}`,
    why: 'the file does not exist',
    remedy: 'specify a file with an object of one of your kinds, such as a file in config/samples',
  });
}

function notOurs(
  file: string,
  { project, objects }: { readonly project: Project; readonly objects: readonly UnstructuredObject[] },
): CliError {
  return new CliError('KW7603', {
    what: `this operator does not reconcile any object in ${file}`,
    why: `the file contains ${objects.map(({ kind, apiVersion }) => `${kind} of ${apiVersion}`).join(', ') || 'no objects'}; the API groups of this project end with ${project.domain}`,
    remedy: 'specify a file with an object of one of your kinds, such as a file in config/samples',
  });
}

function notReconciled(
  object: UnstructuredObject,
  { record, sandbox }: { readonly record: LogRecord | undefined; readonly sandbox: OperatorSandbox },
): CliError {
  const what = `${object.kind} ${object.metadata?.name} was not reconciled`;
  if (!record) {
    return new CliError('KW7603', {
      what,
      why: `no reconcile finished within ${patienceMs / 1000} s\n${sandbox.output.trim().slice(-2_000)}`,
      remedy: `check that src/main.ts lists the controller for ${object.kind}`,
    });
  }
  const id = textOf(record, 'reconcileID');
  const error = sandbox.records.find((each) => each.event === 'reconcile.failed' && textOf(each, 'reconcileID') === id);
  return new CliError('KW7603', {
    what,
    why: `${error ? textOf(error, 'error') : 'the reconcile failed'}\n${sandbox.output.trim().slice(-2_000)}`,
    remedy: 'fix the error, then retry',
  });
}
