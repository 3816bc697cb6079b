import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../program/context.ts';
import { fileNameOf } from '../project/names.ts';
import { writeNew } from '../project/write-files.ts';
import type { ApiNames } from '../templates/api-files.ts';
import { apiServerFile } from '../templates/api-server-file.ts';
import { packageVersions } from '../templates/project-files.ts';
import { registerIn } from './register-in.ts';

const packageName = '@kubewright/apiserver';

/** Adds a kind to the API server of a project, and the server to the operator if it is the first kind. */
export function addToApiServer(root: string, names: ApiNames, context: Context): void {
  const { version, kind } = names;
  const file = apiServerFile(names);
  if (existsSync(join(root, file.path))) {
    registerIn(root, { list: 'kinds', variable: kind, module: `./api/${version}/${fileNameOf(kind)}.ts` }, context);
  } else {
    writeNew(root, [file]);
    context.reporter.step('written', file.path);
  }
  registerIn(root, { list: 'runnables', variable: 'apiserver', module: './apiserver.ts' }, context);
  addDependency(root, context);
}

/** Returns true if the packages that the API server needs are installed. */
export function hasApiServerPackage(root: string): boolean {
  return existsSync(join(root, 'node_modules', packageName));
}

function addDependency(root: string, { reporter }: Context): void {
  const path = join(root, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  if (manifest.dependencies?.[packageName] !== undefined) return;
  const entries = Object.entries({ ...manifest.dependencies, [packageName]: packageVersions[packageName] });
  const dependencies = Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(path, `${JSON.stringify({ ...manifest, dependencies }, undefined, 2)}\n`);
  reporter.step('changed', 'package.json');
}
