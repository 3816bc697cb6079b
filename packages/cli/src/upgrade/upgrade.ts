import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../program/context.ts';
import { version } from '../program/version.ts';
import { requireProject } from '../project/find-project.ts';
import { generateProject } from '../project/generate-project.ts';
import { packageVersions, projectFiles } from '../templates/project-files.ts';
import { outdatedPackages, withRanges } from './package-versions.ts';

/** Flags of `upgrade`. */
export interface UpgradeOptions {
  /** Changes versions in package.json, too. */
  readonly apply?: boolean;
  readonly allowBreaking?: boolean;
}

/**
 * Brings a project to this version: what is generated is generated anew, and removed where it is not any more; files of a
 * person are left alone. Versions in package.json are named, and changed on demand.
 */
export async function upgrade(
  context: Context,
  { apply = false, allowBreaking = false }: UpgradeOptions,
): Promise<void> {
  const { surroundings, reporter } = context;
  const project = requireProject(surroundings.cwd);
  const path = join(project.root, 'package.json');
  const text = readFileSync(path, 'utf8');
  // It was found by what it says.
  const packages = outdatedPackages(JSON.parse(text) as Readonly<Record<string, unknown>>, packageVersions);
  if (apply && packages.length > 0) writeFileSync(path, withRanges(text, packages));
  for (const { name, range, wanted } of packages) {
    const change = `${name} ${range} → ${wanted}`;
    if (apply) reporter.step('changed', change);
    else reporter.step('behind', change, 'bad');
  }
  await generateProject(project, { ...context, allowBreaking });
  for (const file of projectFiles(project)) {
    if (!existsSync(join(project.root, file.path)))
      reporter.step('not there', `${file.path}: kubewright init writes it`, 'bad');
  }
  reporter.step('generated files', `are those of ${version}`);
  if (packages.length > 0)
    reporter.text(apply ? '\nNext:  npm install\n' : '\nNext:  kubewright upgrade --apply  &&  npm install\n');
}
