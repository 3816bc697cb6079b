import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { formatProblem, generate } from '@kubewright/codegen';

/** Writes the manifests of a project, and returns the problems of its code. */
export async function writeManifests(root: string): Promise<readonly string[]> {
  const { files, problems } = await generate({ root });
  for (const { path, text } of files) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return problems.map(formatProblem);
}
