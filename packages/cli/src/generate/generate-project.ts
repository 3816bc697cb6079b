import { defined } from '@kubewright/apimachinery/internal';
import type { Problem } from '@kubewright/codegen';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type Project, requireProject } from '../project/find-project.ts';
import { servesKinds } from '../project/serves-kinds.ts';
import { outdated, type ProjectFile, removeStale, stale, writeGenerated } from '../project/write-files.ts';
import { rejectBreaks } from '../release/released-crds.ts';
import { checkTypes } from '../type-check/check-types.ts';
import { type Generate, manifestsOf } from './manifests.ts';
import { showProblem } from './show-problem.ts';

/** The maximum number of written files that a brief report lists. */
const maxListed = 5;

export interface GenerateProjectOptions {
  readonly generate?: Generate | undefined;
  /** Writes the CRDs even if they break the released CRDs. @defaultValue false */
  readonly allowBreaking?: boolean | undefined;
  /** Reports many written files in one line instead of one line each. @defaultValue false */
  readonly brief?: boolean | undefined;
}

/** Flags of `generate`. */
export interface GenerateOptions {
  /** Checks that the generated files are up to date, and writes nothing. */
  readonly check?: boolean | undefined;
  readonly allowBreaking?: boolean | undefined;
  /** @defaultValue true */
  readonly typeCheck?: boolean | undefined;
}

/**
 * Generates the project of the current folder, or checks its generated files. Type errors are reported, but only fail a check: users
 * generate the manifests of a kind before they adapt its controller, and controller-gen also ignores errors in functions.
 */
export async function generate(
  context: Context,
  { check = false, allowBreaking = false, typeCheck = true }: GenerateOptions,
): Promise<void> {
  const project = requireProject(context.environment.cwd);
  const how = typeCheck ? (check ? 'assert' : 'report') : 'skip';
  await withTypeCheck(context, { project, how }, async () => {
    if (check) return checkProject(project, { ...context, allowBreaking });
    const files = await generateProject(project, { ...context, allowBreaking });
    context.reporter.step('generated', `${files.length} files`);
  });
}

/**
 * Checks a project's types while `work` generates its manifests.
 *
 * @param options.how - `assert` throws an error if there are type errors; `report` only reports them
 * @throws CliError KW7507 if there are type errors; an error of `work` takes precedence
 */
export async function withTypeCheck<T>(
  context: Context,
  { project, how }: { readonly project: Project; readonly how: 'assert' | 'report' | 'skip' },
  work: () => Promise<T>,
): Promise<T> {
  // The program of an API server imports a generated file.
  const isAfter = servesKinds(project);
  using early = how !== 'skip' && !isAfter ? checkTypes(project, context) : undefined;
  const result = await work();
  using late = how !== 'skip' && isAfter ? checkTypes(project, context) : undefined;
  const check = early ?? late;
  await (how === 'assert' ? check?.assertPassed() : check?.report());
  return result;
}

/**
 * Writes a project's generated files, removes stale files and reports each problem.
 *
 * @throws CliError KW7401 or KW7403, without having written anything
 */
export async function generateProject(
  project: Project,
  context: Context & GenerateProjectOptions,
): Promise<readonly ProjectFile[]> {
  const files = await checked(project, context);
  if (context.allowBreaking !== true) rejectBreaks(project.root, files);
  const { written, kept } = writeGenerated(project.root, files);
  for (const line of context.brief ? summary(written) : written) context.reporter.step('written', line);
  for (const path of kept) context.reporter.step('kept (your own)', path, 'bad');
  for (const path of removeStale(project.root, files)) context.reporter.step('removed', path);
  return files;
}

/** Returns the paths if they are few, otherwise the number of files in each top-level folder, such as `config (24 files)`. */
function summary(paths: readonly string[]): readonly string[] {
  if (paths.length <= maxListed) return paths;
  const counts = new Map<string, number>();
  for (const path of paths) {
    const folder = path.slice(0, path.indexOf('/') + 1) || path;
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].map(([folder, count]) => (count === 1 ? folder : `${folder} (${count} files)`));
}

/**
 * Checks that the generated files are up to date.
 * @throws CliError KW7402, or KW7403 if generating would break the released version
 */
export async function checkProject(project: Project, context: Context & GenerateProjectOptions): Promise<void> {
  const files = await checked(project, context);
  if (context.allowBreaking !== true) rejectBreaks(project.root, files);
  const old = [...outdated(project.root, files), ...stale(project.root, files)].sort();
  if (old.length === 0) return context.reporter.step('everything is up to date');
  throw new CliError('KW7402', {
    what: 'generated files are out of date',
    why: `these files differ, are missing or are obsolete:\n${old.join('\n')}`,
    remedy: 'run kubewright generate, and commit its output with the change',
  });
}

async function checked(
  project: Project,
  { environment, reporter, generate }: Context & { readonly generate?: Generate | undefined },
): Promise<readonly ProjectFile[]> {
  const { signal } = environment;
  const { files, problems } = await manifestsOf(project, { signal, ...defined({ generate }) });
  for (const problem of problems) {
    if (reporter.json) reporter.record({ problem });
    else environment.stderr.write(`${showProblem(problem, project.root)}\n`);
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw withErrors(errors);
  return files;
}

function withErrors(errors: readonly Problem[]): CliError {
  const [first] = errors;
  const count = errors.length === 1 ? 'one error' : `${errors.length} errors`;
  return new CliError('KW7401', {
    what: 'cannot generate the manifests from the types; nothing was written',
    why: `${count}, the first in ${first?.file}:${first?.line}:${first?.column}`,
    remedy: 'fix the errors listed above; for details, run kubewright explain CODE',
  });
}
