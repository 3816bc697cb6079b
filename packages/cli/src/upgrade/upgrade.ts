import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateProject } from '../generate/generate-project.ts';
import type { Context } from '../program/context.ts';
import { version } from '../program/version.ts';
import { requireProject } from '../project/find-project.ts';
import { packageVersions, projectFiles } from '../templates/project-files.ts';
import { outdatedPackages, withRanges } from './package-versions.ts';

/** Flags of `upgrade`. */
export interface UpgradeOptions {
  /** Also changes versions in package.json. */
  readonly apply?: boolean | undefined;
  readonly allowBreaking?: boolean | undefined;
}

/**
 * Upgrades a project to this version: regenerates its generated files and removes stale files; the user's own files are not
 * changed. Reports outdated versions in package.json and changes them with `--apply`.
 */
export async function upgrade(
  context: Context,
  { apply = false, allowBreaking = false }: UpgradeOptions,
): Promise<void> {
  const { environment, reporter } = context;
  const project = requireProject(environment.cwd);
  const path = join(project.root, 'package.json');
  const text = readFileSync(path, 'utf8');
  // `requireProject` has already parsed this file, so it is valid JSON.
  const packages = outdatedPackages(JSON.parse(text) as Readonly<Record<string, unknown>>, packageVersions);
  if (apply && packages.length > 0) writeFileSync(path, withRanges(text, packages));
  for (const { name, range, wanted } of packages) {
    const change = `${name} ${range} → ${wanted}`;
    if (apply) reporter.step('changed', change);
    else reporter.step('outdated', change, 'bad');
  }
  await generateProject(project, { ...context, allowBreaking });
  for (const file of projectFiles(project)) {
    if (!existsSync(join(project.root, file.path)))
      reporter.step('missing', `${file.path}: to create it, run kubewright init`, 'bad');
  }
  reporter.step('generated files', `up to date with ${version}`);
  if (packages.length > 0)
    reporter.text(apply ? '\nNext:  npm install\n' : '\nNext:  kubewright upgrade --apply  &&  npm install\n');
}
