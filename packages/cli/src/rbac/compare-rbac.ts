import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNotFound, sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { formatProblem, Generator, type Problem } from '@kubewright/codegen';
import type { RbacRule } from '@kubewright/codegen/internal';
import type { Generate } from '../generate/manifests.ts';
import { type Permission, permissionsOf, type Rule } from '../permissions/permission.ts';
import { operatorLine, tagsOf } from '../permissions/rbac-tags.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { installObjects } from '../render/install-objects.ts';
import { endOfReconcile, OperatorSandbox } from '../sandbox/operator-sandbox.ts';
import { kindOf } from '../target/apply-objects.ts';
import { applySamples } from '../target/samples.ts';
import { fixRbac, mainFile, type Observed } from './fix-rbac.ts';
import { compare, type Grants, permissionLines, reportText } from './rbac-report.ts';

/** The time limit for samples to be reconciled, to settle, and to be deleted, in milliseconds. */
const patienceMs = 20_000;
const restMs = 1_000;
const pollMs = 50;
const maxFailures = 3;

/** Flags of `rbac`. */
export interface RbacOptions {
  /** Writes missing permissions into `src/main.ts`. */
  readonly fix?: boolean | undefined;
  /** With `fix`: only shows what would be written. */
  readonly dryRun?: boolean | undefined;
}

/**
 * Runs the operator on its samples in a temporary cluster and compares the permissions that the operator used with the
 * permissions that its roles grant.
 */
export async function compareRbac(context: Context, { fix = false, dryRun = false }: RbacOptions): Promise<void> {
  const project = requireProject(context.environment.cwd);
  const generator = new Generator({ root: project.root, projectName: project.name });
  const reported = new Set<string>();
  const observe = (): Promise<Observed> => observed(context, { project, generator, reported });
  const { report, samples } = fix ? await fixRbac(context, { project, dryRun, observe }) : await observe();
  context.reporter.result({ rbac: report }, reportText(report, samples));
  if (report.missing.length > 0 && !(fix && dryRun)) throw missing(report.missing, project);
}

interface Observation {
  readonly project: Project;
  readonly generator: Generator;
  /** Problems already shown. */
  readonly reported: Set<string>;
}

async function observed(context: Context, { project, generator, reported }: Observation): Promise<Observed> {
  let rules: readonly RbacRule[] = [];
  const generate: Generate = async (options) => {
    const result = await generator.generate(options);
    rules = result.rules;
    // Every run has the same warnings: show them only once.
    const isNew = (problem: Problem): boolean => problem.severity === 'error' || !reported.has(formatProblem(problem));
    const problems = result.problems.filter(isNew);
    for (const each of problems) reported.add(formatProblem(each));
    return { ...result, problems };
  };
  await using sandbox = await OperatorSandbox.start(context, { project, withNode: true, generate });
  const objects = await applySamples(sandbox.target, { project });
  for (const object of objects) await sandbox.record(endOfReconcile(object), { withinMs: patienceMs });
  await rest(sandbox, context);
  await remove(sandbox, objects);
  await sandbox.stopOperator();
  const record = sandbox.records.find(({ event }) => event === 'permissions.reported');
  if (!record) throw noRecord(sandbox.output);
  return { report: compare(record, { ...grantedIn(project), rules }), samples: objects.length };
}

/** Waits until no reconcile has finished for a while. */
async function rest(sandbox: OperatorSandbox, { environment }: Context): Promise<void> {
  const { clock, signal } = environment;
  const end = clock.monotonic() + patienceMs;
  for (let count = -1; count !== sandbox.records.length && clock.monotonic() < end; ) {
    count = sandbox.records.length;
    await sleep(clock, { ms: restMs, signal });
  }
}

/**
 * Deletes the samples, because cleanup needs permissions too. Stops waiting after repeated failures, because the
 * missing permissions are known by then.
 */
async function remove(sandbox: OperatorSandbox, objects: readonly UnstructuredObject[]): Promise<void> {
  const { client, environment } = sandbox.target;
  const { clock, signal } = environment;
  for (const object of objects) {
    const resource = client.resource(await kindOf(client, object));
    const { name = '', namespace } = object.metadata ?? {};
    const key = { name, ...defined({ namespace }) };
    const isGone = (error: unknown): undefined => {
      if (!isNotFound(error)) throw error;
      return undefined;
    };
    const before = sandbox.records.length;
    const isOwnEnd = endOfReconcile(object);
    const failures = (): number =>
      sandbox.records.slice(before).filter((record) => record['failed'] === true && isOwnEnd(record)).length;
    await resource.delete(key, { signal }).catch(isGone);
    const end = clock.monotonic() + patienceMs;
    while (clock.monotonic() < end && failures() < maxFailures && (await resource.get(key, { signal }).catch(isGone)))
      await sleep(clock, { ms: pollMs, signal });
  }
}

/** Returns the permissions of the roles bound to the operator's account. */
function grantedIn(project: Project): Omit<Grants, 'rules'> {
  const objects = installObjects(project);
  const bindings = objects.filter(({ kind }) => kind === 'ClusterRoleBinding' || kind === 'RoleBinding');
  const bound = bindings.map((binding) => (binding['roleRef'] as { readonly name: string }).name);
  const roles = objects.filter(
    ({ kind, metadata }) => (kind === 'ClusterRole' || kind === 'Role') && bound.includes(metadata?.name ?? ''),
  );
  const rulesOf = (role: UnstructuredObject): readonly Permission[] =>
    permissionsOf((role['rules'] ?? []) as readonly Rule[]);
  const own = roles.filter(({ metadata }) => metadata?.name?.endsWith('manager-role'));
  return { own: own.flatMap(rulesOf), all: roles.flatMap(rulesOf) };
}

function missing(list: readonly Permission[], { root }: Project): CliError {
  const line = operatorLine(readFileSync(join(root, mainFile), 'utf8'));
  const where = line === undefined ? 'in a documentation comment in src/' : `above runOperator, ${mainFile}:${line}`;
  return new CliError('KW7604', {
    what: 'the operator lacks permissions',
    why: `the roles of the operator do not grant:\n${permissionLines(list).join('')}`,
    remedy: `declare these kinds where the generator finds them (owns, watches, typed client calls), or add these tags ${where}; kubewright rbac --fix does this:\n/**\n${tagsOf(
      list,
    )
      .map((tag) => ` * ${tag}\n`)
      .join('')} */`,
  });
}

function noRecord(output: string): CliError {
  return new CliError('KW7604', {
    what: 'cannot determine which permissions the operator used',
    why: `the operator did not report its permissions on exit: it was killed, or it does not log at level debug\n${output.trim().slice(-1_000)}`,
    remedy: 'check that the operator exits within a second, and that src/main.ts does not pass "log" to runOperator',
  });
}
