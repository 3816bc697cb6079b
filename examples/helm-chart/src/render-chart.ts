import { execFile } from 'node:child_process';
import type { Child } from '@kubewright/runtime';
import { parseAllDocuments } from 'yaml';
import type { ChartWatch, Values } from './watches.ts';

/** The message if the program is not installed. */
export const missingProgram = 'helm is not on the PATH; install it: https://helm.sh/docs/intro/install/';

/** Thrown if helm renders nothing; the message is helm's output. */
export class ChartError extends Error {}

/**
 * Returns the objects of a release, rendered by `helm template`. Hooks are left out.
 *
 * @throws ChartError if the values do not fit the chart, or if helm is missing.
 */
export async function renderChart(
  { chart, overrideValues }: ChartWatch,
  release: { readonly name: string; readonly namespace: string; readonly values: Values },
  { signal }: { readonly signal: AbortSignal },
): Promise<readonly Child[]> {
  const overrides = Object.entries(overrideValues).flatMap(([path, value]) => ['--set', `${path}=${value}`]);
  const { name, namespace, values } = release;
  const args = ['template', name, chart, '--namespace', namespace, '--no-hooks', '--values', '-', ...overrides];
  const output = await new Promise<string>((resolve, reject) => {
    const helm = execFile('helm', args, { signal, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (!error) resolve(stdout);
      else if (signal.aborted) reject(error);
      else if (error.code === 'ENOENT') reject(new ChartError(missingProgram));
      else reject(new ChartError(stderr.trim()));
    });
    // If helm cannot be started, writing to it fails too; the callback reports the cause.
    helm.stdin?.on('error', () => undefined).end(JSON.stringify(values));
  });
  return parseObjects(output);
}

/** Returns the objects in helm's output. */
export function parseObjects(output: string): readonly Child[] {
  return parseAllDocuments(output)
    .map((document) => document.toJS() as Child | null)
    .filter((object) => object !== null);
}
