import type { RbacRule } from '@kubewright/codegen/internal';
import type { LogRecord } from '../operator-log/log-record.ts';
import { allows, isWritable, type Permission, permissionsOf, type Rule } from '../permissions/permission.ts';

/** A granted permission with the code locations that require it. */
export interface Granted extends Permission {
  /** Places such as `src/main.ts:7`. Empty for permissions that every operator has. */
  readonly from: readonly string[];
}

/** The permissions that the operator's roles grant, compared with the permissions that it needs. */
export interface RbacReport {
  /** Needed but not granted. */
  readonly missing: readonly Permission[];
  /** Granted, not used in the run, and not required by any declaration. */
  readonly superfluous: readonly Granted[];
  /** Granted and required by a declaration, but not used in the run. */
  readonly unproven: readonly Permission[];
  readonly used: readonly Permission[];
}

/** The permissions granted to the operator. */
export interface Grants {
  /** Granted by the role that is generated from the code. */
  readonly own: readonly Permission[];
  /** Granted by all roles bound to the operator's account. */
  readonly all: readonly Permission[];
  /** The rules that the role is generated from. */
  readonly rules: readonly RbacRule[];
}

/** Compares the permissions that the runtime reported on exit with the granted permissions. */
export function compare(record: LogRecord, { own, all, rules }: Grants): RbacReport {
  // The runtime writes both fields as lists of rules.
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

/** Returns the code locations that require a permission. */
function placesOf(permission: Permission, rules: readonly RbacRule[]): readonly string[] {
  const relevant = rules.filter(({ groups, resources, verbs }) => {
    const apiGroups = groups.map((group) => (group === 'core' ? '' : group));
    return allows(permissionsOf([{ apiGroups, resources, verbs }]), permission);
  });
  return [...new Set(relevant.flatMap(({ from }) => (from ? [placeOf(from)] : [])))];
}

function placeOf({ file, line }: { readonly file: string; readonly line: number }): string {
  return `${file}:${line}`;
}

/** Formats a report for the terminal. */
export function reportText({ missing, superfluous, unproven, used }: RbacReport, samples: number): string {
  const part = (title: string, list: readonly (Permission | Granted)[]): string =>
    list.length === 0 ? '' : `\n${title}\n${permissionLines(list).join('')}`;
  return [
    `Permissions granted by config/rbac compared with those used on ${samples === 1 ? 'one sample' : `${samples} samples`}, including the cleanup.\n`,
    part('missing', missing),
    part('granted, but not used and not declared', superfluous),
    part('granted and declared, but not used in this run', unproven),
    part('granted and used', used),
  ].join('');
}

/** Returns one line per resource with all its verbs; permissions required by different code get separate lines. */
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
