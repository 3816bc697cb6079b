import { isNotFound, sleep, type UnstructuredObject } from '@kubewright/apimachinery';
import { kindOf, type Target } from '../deploy/apply-objects.ts';
import { installObjects } from '../deploy/deploy.ts';
import { applySamples } from '../dev/samples.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import type { LogRecord } from '../story/log-record.ts';
import { endOfReconcile, Trial } from '../trial/trial.ts';
import { allows, type Permission, permissionsOf, type Rule, rulesText } from './permission.ts';

/** How long samples may take to be reconciled, to come to rest, and to go, in milliseconds. */
const patienceMs = 20_000;
const restMs = 1_000;
const pollMs = 50;

/** What the operator's roles grant, compared with what it needs. */
export interface RbacReport {
  /** Needed, and not granted. */
  readonly missing: readonly Permission[];
  /** Granted, not used in the run, and needed by no declaration. */
  readonly superfluous: readonly Permission[];
  /** Granted and needed by a declaration; the run has not used it. */
  readonly unproven: readonly Permission[];
  readonly used: readonly Permission[];
}

/** Runs the operator on its samples in a cluster of its own, and compares what it used with what its role grants. */
export async function compareRbac(context: Context): Promise<void> {
  const { surroundings, reporter } = context;
  const project = requireProject(surroundings.cwd);
  await using trial = await Trial.start(context, { project, withNode: true });
  const objects = await applySamples(trial.target, { project });
  for (const object of objects) await trial.record(endOfReconcile(object), { withinMs: patienceMs });
  await rest(trial, context);
  await remove(trial.target, objects);
  await trial.stopOperator();
  const record = trial.records.find(({ msg }) => msg === 'permissions');
  if (!record) throw noRecord(trial.story);
  const report = compare(record, grantedIn(project));
  reporter.result({ rbac: report }, textOf(report, objects.length));
  if (report.missing.length > 0) throw missing(report.missing);
}

/** Waits until no reconcile has ended for a while. */
async function rest(trial: Trial, { surroundings }: Context): Promise<void> {
  const { clock, signal } = surroundings;
  const end = clock.monotonic() + patienceMs;
  for (let count = -1; count !== trial.records.length && clock.monotonic() < end; ) {
    count = trial.records.length;
    await sleep(clock, { ms: restMs, signal });
  }
}

/** Clean-up needs permissions, too. */
async function remove({ client, surroundings }: Target, objects: readonly UnstructuredObject[]): Promise<void> {
  const { clock, signal } = surroundings;
  for (const object of objects) {
    const resource = client.resource(await kindOf(client, object));
    const { name = '', namespace } = object.metadata ?? {};
    const key = { name, ...(namespace !== undefined && { namespace }) };
    const isGone = (error: unknown): undefined => {
      if (!isNotFound(error)) throw error;
      return undefined;
    };
    await resource.delete(key, { signal }).catch(isGone);
    const end = clock.monotonic() + patienceMs;
    while (clock.monotonic() < end && (await resource.get(key, { signal }).catch(isGone)))
      await sleep(clock, { ms: pollMs, signal });
  }
}

/** What the roles grant that are bound to the operator's account. */
function grantedIn(project: Project): { readonly own: readonly Permission[]; readonly all: readonly Permission[] } {
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

function compare(record: LogRecord, granted: ReturnType<typeof grantedIn>): RbacReport {
  // The runtime's own lists of rules.
  const needed = permissionsOf((record['needed'] ?? []) as readonly Rule[]);
  const used = permissionsOf((record['used'] ?? []) as readonly Rule[]);
  const idle = granted.own.filter((each) => !allows(used, each));
  return {
    missing: needed.filter((each) => !allows(granted.all, each)),
    superfluous: idle.filter((each) => !allows(needed, each)),
    unproven: idle.filter((each) => allows(needed, each)),
    used: used.filter((each) => allows(granted.all, each)),
  };
}

function textOf({ missing: lacking, superfluous, unproven, used }: RbacReport, samples: number): string {
  const part = (title: string, list: readonly Permission[]): string =>
    list.length === 0 ? '' : `\n${title}\n${lines(list).join('')}`;
  return [
    `Granted by config/rbac, against what the operator used on ${samples === 1 ? 'one sample' : `${samples} samples`}, clean-up included.\n`,
    part('missing', lacking),
    part('granted, and neither used nor needed by a declaration', superfluous),
    part('granted and declared, not used in this run', unproven),
    part('granted and used', used),
  ].join('');
}

/** One line a resource, its verbs together. */
function lines(list: readonly Permission[]): readonly string[] {
  const verbs = new Map<string, string[]>();
  for (const { group, resource, verb } of list) {
    const [plural = '', subresource] = resource.split('/');
    const name = `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
    verbs.set(name, [...(verbs.get(name) ?? []), verb]);
  }
  const width = Math.max(...[...verbs.keys()].map((name) => name.length));
  return [...verbs].sort().map(([name, each]) => `  ${name.padEnd(width)}  ${[...new Set(each)].sort().join(', ')}\n`);
}

function missing(list: readonly Permission[]): CliError {
  return new CliError('KW7604', {
    what: 'the operator may not do what it needs to',
    why: `its roles lack:\n${lines(list).join('')}`,
    remedy: `name these kinds where the generator sees them (owns, watches, typed client calls), or add to a role of your own:\n${rulesText(list)}`,
  });
}

function noRecord(story: string): CliError {
  return new CliError('KW7604', {
    what: 'nobody knows which permissions the operator used',
    why: `it did not say so at its end: main.ts gives it a log of its own, or it was killed\n${story.trim().slice(-1_000)}`,
    remedy: 'leave "log" out of runOperator in src/main.ts, and see that it ends within a second',
  });
}
