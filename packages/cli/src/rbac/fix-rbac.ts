import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Permission } from '../permissions/permission.ts';
import { operatorLine, tagsOf, withTags } from '../permissions/rbac-tags.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';
import type { RbacReport } from './rbac-report.ts';

/** The file for permissions that are not visible in the code: the entry point of the operator. */
export const mainFile = 'src/main.ts';

/** The maximum number of runs: a granted permission lets the operator proceed to the next denied one. */
const maxRuns = 6;

/** The result of running the operator. */
export interface Observed {
  readonly report: RbacReport;
  /** The number of samples. */
  readonly samples: number;
}

/** Options for fixing permissions. */
export interface FixOptions {
  readonly project: Project;
  /** True to show the changes without writing them. */
  readonly dryRun: boolean;
  /** Generates manifests and runs the operator with the permissions they grant. */
  readonly observe: () => Promise<Observed>;
}

/** Grants missing permissions until a run needs nothing more. Returns the result of the last run. */
export async function fixRbac(context: Context, { project, dryRun, observe }: FixOptions): Promise<Observed> {
  const file = join(project.root, mainFile);
  for (let run = 1; ; run++) {
    const observed = await observe();
    const { missing } = observed.report;
    if (missing.length === 0 || run === maxRuns) return observed;
    const before = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const after = withTags(before, missing);
    if (after === undefined) throw noPlace(missing);
    report(context, { before, after, dryRun });
    if (dryRun) return observed;
    writeFileSync(file, after);
  }
}

/** Shows the changed lines. */
function report(
  { reporter }: Context,
  { before, after, dryRun }: { readonly before: string; readonly after: string; readonly dryRun: boolean },
): void {
  const { removed, added } = difference(before.split('\n'), after.split('\n'));
  const where = `${mainFile}:${operatorLine(after)}`;
  reporter.step(dryRun ? 'would change' : 'changed', where);
  if (reporter.json) reporter.record({ diff: { file: mainFile, removed, added } });
  const lines = [...removed.map((line) => `- ${line}`), ...added.map((line) => `+ ${line}`)];
  reporter.text(lines.map((line) => `    ${line}\n`).join(''));
}

/** Returns the lines between the common start and end of two strings. */
function difference(
  old: readonly string[],
  now: readonly string[],
): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  const max = Math.min(old.length, now.length);
  let start = 0;
  while (start < max && old[start] === now[start]) start++;
  let end = 0;
  while (end < max - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  return { removed: old.slice(start, old.length - end), added: now.slice(start, now.length - end) };
}

function noPlace(list: readonly Permission[]): CliError {
  return new CliError('KW7604', {
    what: 'cannot add the missing permissions',
    why: `${mainFile} does not call runOperator, above which the tags belong`,
    remedy: `add these tags to a documentation comment in a file in src/:\n/**\n${tagsOf(list)
      .map((tag) => ` * ${tag}\n`)
      .join('')} */`,
  });
}
