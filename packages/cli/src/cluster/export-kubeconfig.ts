import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { CliError } from '../program/cli-error.ts';
import { shellWord } from '../program/shell-word.ts';

/** Copies a cluster's kubeconfig to a file of the user's choice, unless that file is another cluster's kubeconfig. */
export function exportKubeconfig(
  source: string,
  { file, cwd }: { readonly file: string; readonly cwd: string },
): string {
  const target = resolve(cwd, file);
  if (!isOurs(target)) {
    throw new CliError('KW7204', {
      what: `cannot write the kubeconfig to ${target}`,
      why: 'the file already exists and contains other clusters',
      remedy: `specify another file, or use the original: export KUBECONFIG=${shellWord(source)}`,
    });
  }
  writeFileSync(target, readFileSync(source), { mode: 0o600 });
  return target;
}

/** True if the file is missing, is empty or contains only our cluster. */
function isOurs(path: string): boolean {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
  if (text.trim() === '') return true;
  try {
    const { clusters } = parse(text) as { readonly clusters?: readonly { readonly name?: unknown }[] };
    return clusters?.length === 1 && clusters[0]?.name === 'kubewright';
  } catch {
    // The file is not YAML or not an object, so this program did not write it.
    return false;
  }
}
