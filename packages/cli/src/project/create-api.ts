import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { type ApiNames, apiFiles, controllerFiles } from '../templates/api-files.ts';
import { type Registration, register } from '../templates/register.ts';
import { findProjectKinds } from './find-kinds.ts';
import { requireProject } from './find-project.ts';
import { generateProject } from './generate-project.ts';
import { checkName, fileNameOf, variableOf } from './names.ts';
import { writeNew } from './write-files.ts';

/** Flags of `create api`. */
export interface CreateApiOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string;
  readonly scope?: 'Namespaced' | 'Cluster';
  /** @defaultValue true */
  readonly resource?: boolean;
  /** @defaultValue true */
  readonly controller?: boolean;
}

/** Adds a kind and its controller to a project; files that are there stay as they are. */
export async function createApi(context: Context, options: CreateApiOptions): Promise<void> {
  const { surroundings, reporter } = context;
  const project = requireProject(surroundings.cwd);
  const group = groupOf(options.group, project.domain);
  const version = checkName('version', options.version);
  const kind = checkName('kind', options.kind);
  const isFurther = findProjectKinds(project.root).some(
    (each) => each.group === group && each.kind === kind && each.version !== version,
  );
  const plural = options.plural === undefined ? undefined : checkName('plural', options.plural);
  const { scope = 'Namespaced' } = options;
  const names: ApiNames = { group, version, kind, plural, scope, isFurther };
  const { resource = true, controller = true } = options;
  const files = [...(resource ? apiFiles(names) : []), ...(controller ? controllerFiles(names) : [])];
  const { written, kept } = writeNew(project.root, files);
  for (const path of written) reporter.step('written', path);
  for (const path of kept) reporter.step('kept', path);
  if (written.length + kept.length === 0) reporter.step('is there', `${kind} of ${group}/${version}`);
  const [variable, module] = [variableOf(names.kind), `./controllers/${fileNameOf(names.kind)}.ts`];
  if (controller) registerIn(project.root, { list: 'controllers', variable, module }, context);
  // Before the first npm install there is nothing that types could be read with.
  if (existsSync(join(project.root, 'node_modules'))) await generateProject(project, context);
  else reporter.text('manifests are made by npm run generate, once npm install was run\n');
}

/** Makes a new entry known to `main.ts`, or says what is to be added by hand. */
export function registerIn(root: string, registration: Registration, { reporter }: Context): void {
  const path = join(root, 'src', 'main.ts');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const changed = text === undefined ? undefined : register(text, registration);
  if (changed === undefined) {
    const { variable, module, list } = registration;
    const todo = `import { ${variable} } from '${module}'; and name it in ${list}`;
    reporter.step('add to src/main.ts', todo, 'bad');
  } else if (changed !== text) {
    writeFileSync(path, changed);
    reporter.step('changed', 'src/main.ts');
  }
}

/** A group without a dot gets the domain. */
export function groupOf(group: string, domain: string): string {
  checkName('group', group);
  if (group === domain || group.endsWith(`.${domain}`)) return group;
  if (!group.includes('.')) return `${group}.${domain}`;
  throw new CliError('KW7102', {
    what: `the group ${group} does not belong to this project`,
    why: `its domain is ${domain}, and groups end with it`,
    remedy: `--group ${group.split('.')[0]} makes ${group.split('.')[0]}.${domain}`,
  });
}
