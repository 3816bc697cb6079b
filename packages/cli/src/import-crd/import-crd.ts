import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { importCrd } from '@kubewright/codegen';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import type { ClusterFlags } from '../target/connect.ts';
import { readCrd } from './read-crd.ts';

/** Flags of `import crd`. */
export interface ImportCrdOptions extends ClusterFlags {
  readonly as: 'kind' | 'definition';
  /** @defaultValue the stored version */
  readonly version?: string | undefined;
  /** The file to write. @defaultValue standard output */
  readonly out?: string | undefined;
}

/** Writes types for the kinds of a CRD; never overwrites an existing file. */
export async function importCrdFrom(context: Context, source: string, flags: ImportCrdOptions): Promise<void> {
  const { environment, reporter } = context;
  const { as, version, out } = flags;
  const target = out === undefined ? undefined : resolve(environment.cwd, out);
  if (target !== undefined && existsSync(target)) throw inTheWay(target);
  const text = await readCrd(source, { environment, flags });
  const code = importCrd(text, { as, version });
  if (target === undefined) return reporter.result({ source, code }, code);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, code);
  return reporter.step('written', out);
}

function inTheWay(target: string): CliError {
  return new CliError('KW7104', {
    what: `cannot write ${target}`,
    why: 'the file already exists and may contain your changes',
    remedy: `specify another file, or delete ${target} first`,
  });
}
