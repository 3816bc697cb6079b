import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Project } from './find-project.ts';

/** Returns the paths of a project's samples, which belong to the user. */
export function samplesOf({ root }: Pick<Project, 'root'>): readonly string[] {
  const folder = join(root, 'config', 'samples');
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name) && name !== 'kustomization.yaml')
    .sort()
    .map((name) => `config/samples/${name}`);
}
