import type { Position, RbacRule } from '@kubewright/codegen';
import type { LogRecord } from '../story/log-record.ts';
import { allows, isWritable, type Permission, permissionsOf, type Rule } from './permission.ts';

/** A permission that is granted, with the places of the code that ask for it. */
export interface Granted extends Permission {
  /** As `src/main.ts:7`. Empty for what every operator is granted. */
  readonly from: readonly string[];
}

/** What the operator's roles grant, compared with what it needs. */
export interface RbacReport {
  /** Needed, and not granted. */
  readonly missing: readonly Permission[];
  /** Granted, not used in the run, and needed by no declaration. */
  readonly superfluous: readonly Granted[];
  /** Granted and needed by a declaration; the run has not used it. */
  readonly unproven: readonly Permission[];
  readonly used: readonly Permission[];
}

/** What is granted to the operator. */
export interface Grants {
  /** By the role that is made from the code. */
  readonly own: readonly Permission[];
  /** By every role that is bound to its account. */
  readonly all: readonly Permission[];
  /** What the role is made of. */
  readonly rules: readonly RbacRule[];
}

/** Compares what the runtime said at its end with what is granted. */
export function compare(record: LogRecord, { own, all, rules }: Grants): RbacReport {
  // The runtime's own lists of rules.
  const needed = permissionsOf((record['needed'] ?? []) as readonly Rule[]).filter(isWritable);
  const used = permissionsOf((record['used'] ?? []) as readonly Rule[]).filter(isWritable);
  const idle = own.filter((each) => !allows(used, each));
  return {
    missing: needed.filter((each) => !allows(all, each)),
    superfluous: idle.filter((each) => !allows(needed, each)).map((each) => ({ ...each, from: placesOf(each, rules) })),
    unproven: idle.filter((each) => allows(needed, each)),
    used: used.filter((each) => allows(all, each)),
  };
}

/** The places of the code that ask for a permission. */
function placesOf(permission: Permission, rules: readonly RbacRule[]): readonly string[] {
  const asking = rules.filter(({ groups, resources, verbs }) => {
    const apiGroups = groups.map((group) => (group === 'core' ? '' : group));
    return allows(permissionsOf([{ apiGroups, resources, verbs }]), permission);
  });
  return [...new Set(asking.flatMap(({ from }) => (from ? [placeOf(from)] : [])))];
}

function placeOf({ file, line }: Position): string {
  return `${file}:${line}`;
}

/** Writes a report for people. */
export function reportText({ missing, superfluous, unproven, used }: RbacReport, samples: number): string {
  const part = (title: string, list: readonly (Permission | Granted)[]): string =>
    list.length === 0 ? '' : `\n${title}\n${permissionLines(list).join('')}`;
  return [
    `Granted by config/rbac, against what the operator used on ${samples === 1 ? 'one sample' : `${samples} samples`}, clean-up included.\n`,
    part('missing', missing),
    part('granted, and neither used nor needed by a declaration', superfluous),
    part('granted and declared, not used in this run', unproven),
    part('granted and used', used),
  ].join('');
}

/** One line a resource, its verbs together; those that other code asks for in a line of their own. */
export function permissionLines(list: readonly (Permission | Granted)[]): readonly string[] {
  const rows = new Map<string, { readonly name: string; readonly verbs: string[]; readonly from: string }>();
  for (const each of list) {
    const name = nameOf(each);
    const from = 'from' in each ? each.from.join(', ') : '';
    const key = `${name} ${from}`;
    const row = rows.get(key) ?? { name, verbs: [], from };
    rows.set(key, row);
    row.verbs.push(each.verb);
  }
  const width = Math.max(...[...rows.values()].map(({ name }) => name.length));
  return [...rows]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { name, verbs, from }]) => {
      const text = [...new Set(verbs)].sort().join(', ');
      return `  ${name.padEnd(width)}  ${text}${from && `  ${from}`}\n`;
    });
}

function nameOf({ group, resource }: Permission): string {
  const [plural = '', subresource] = resource.split('/');
  return `${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}
