import { formatProblem, type Problem } from '@kubewright/codegen';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { Project } from './find-project.ts';
import { type Generate, manifestsOf } from './manifests.ts';
import { outdated, type ProjectFile, writeGenerated } from './write-files.ts';

/** Writes what is generated of a project; tells of each problem. @throws CliError KW7401, and then nothing was written */
export async function generateProject(
  project: Project,
  context: Context & { readonly generate?: Generate },
): Promise<readonly ProjectFile[]> {
  const files = await checked(project, context);
  const { written, kept } = writeGenerated(project.root, files);
  for (const path of written) context.reporter.step('written', path);
  for (const path of kept) context.reporter.step('kept, is yours', path, 'bad');
  return files;
}

/** Says whether what is generated is current. @throws CliError KW7402 */
export async function checkProject(project: Project, context: Context): Promise<void> {
  const old = outdated(project.root, await checked(project, context));
  if (old.length === 0) return context.reporter.step('all is current');
  throw new CliError('KW7402', {
    what: 'generated files are not what the types say',
    why: `they differ or are missing:\n${old.join('\n')}`,
    remedy: 'kubewright generate, and commit what it writes with the change',
  });
}

async function checked(
  project: Project,
  { surroundings, reporter, generate }: Context & { readonly generate?: Generate },
): Promise<readonly ProjectFile[]> {
  const { signal } = surroundings;
  const { files, problems } = await manifestsOf(project, { signal, ...(generate && { generate }) });
  for (const problem of problems) {
    if (reporter.json) reporter.record({ problem });
    else surroundings.stderr.write(`${formatProblem(problem)}\n`);
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw withErrors(errors);
  return files;
}

function withErrors(errors: readonly Problem[]): CliError {
  const [first] = errors;
  const count = errors.length === 1 ? 'one mistake' : `${errors.length} mistakes`;
  return new CliError('KW7401', {
    what: 'the manifests cannot be made from the types; nothing was written',
    why: `${count}, the first in ${first?.file}:${first?.line}:${first?.column}`,
    remedy: 'mend what is named above; kubewright explain CODE tells more of each',
  });
}
