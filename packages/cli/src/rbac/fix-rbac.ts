import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';
import type { Permission } from './permission.ts';
import type { RbacReport } from './rbac-report.ts';
import { operatorLine, tagsOf, withTags } from './rbac-tags.ts';

/** Where permissions are written that the code does not show: what runs the operator. */
export const mainFile = 'src/main.ts';

/** What was denied once lets the operator go on to what is denied next: so many runs at most. */
const mostRuns = 6;

/** What a run of the operator has shown. */
export interface Observed {
  readonly report: RbacReport;
  /** How many there were. */
  readonly samples: number;
}

/** How permissions are mended. */
export interface FixOptions {
  readonly project: Project;
  /** Writes nothing. */
  readonly dryRun: boolean;
  /** Makes manifests, and runs the operator under what they grant. */
  readonly observe: () => Promise<Observed>;
}

/** Grants what runs of the operator lack, until one lacks nothing more; answers what the last has shown. */
export async function fixRbac(context: Context, { project, dryRun, observe }: FixOptions): Promise<Observed> {
  const file = join(project.root, mainFile);
  for (let run = 1; ; run++) {
    const observed = await observe();
    const { missing } = observed.report;
    if (missing.length === 0 || run === mostRuns) return observed;
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const after = withTags(before, missing);
    if (after === undefined) throw noPlace(missing);
    tell(context, { before, after, dryRun });
    if (dryRun) return observed;
    writeFileSync(file, after);
  }
}

/** Shows which lines are others now. */
function tell(
  { reporter }: Context,
  { before, after, dryRun }: { readonly before: string; readonly after: string; readonly dryRun: boolean },
): void {
  const { removed, added } = difference(before.split('\n'), after.split('\n'));
  const where = `${mainFile}:${operatorLine(after)}`;
  reporter.step(dryRun ? 'would be changed' : 'changed', where);
  if (reporter.json) reporter.record({ diff: { file: mainFile, removed, added } });
  const lines = [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  reporter.text(lines.map((line) => `    ${line}\n`).join(''));
}

/** What stands between the lines that two texts begin and end with. */
function difference(
  old: readonly string[],
  now: readonly string[],
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return { removed: old.slice(start, old.length - end), added: now.slice(start, now.length - end) };
}

function noPlace(list: readonly Permission[]): CliError {
  return new CliError('KW7604', {
    what: 'the missing permissions are not written',
    why: `${mainFile} has no call of runOperator, above which they would stand`,
    remedy: `say them in a documentation comment of any file below src/:\n/**\n${tagsOf(list)
      .map((tag) => ` * ${tag}\n`)
      .join('')} */`,
  });
}
