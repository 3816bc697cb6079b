import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { shellWord } from '../program/shell-word.ts';
import { findProject, type Project } from '../project/find-project.ts';
import { checkName, kindFrom, nameFrom } from '../project/names.ts';
import { writeNew } from '../project/write-files.ts';
import { npmrcFiles } from '../templates/npmrc-file.ts';
import { projectFiles } from '../templates/project-files.ts';
import { createApi } from './create-api.ts';

/** Flags of `init`. */
export interface InitOptions {
  readonly domain?: string | undefined;
  readonly name?: string | undefined;
  readonly template?: 'minimal' | 'empty' | undefined;
  readonly yes?: boolean | undefined;
}

/** Creates a project, or completes an existing project; existing files are not changed. */
export async function init(context: Context, options: InitOptions & { readonly directory: string }): Promise<void> {
  const { environment, reporter } = context;
  const root = resolve(environment.cwd, options.directory);
  const project = await describe(root, { context, options });
  mkdirSync(root, { recursive: true });
  const { written, kept } = writeNew(root, [...projectFiles(project), ...npmrcFiles(environment.env)]);
  for (const path of written) reporter.step('written', path);
  for (const path of kept) reporter.step('kept', path);
  const kind = kindFrom(project.name);
  if ((options.template ?? 'minimal') === 'minimal' && !existsSync(join(root, 'src', 'api'))) {
    const group = project.name.replace(/-(operator|controller)$/, '');
    await createApi({ ...context, environment: { ...environment, cwd: root } }, { group, version: 'v1', kind });
  }
  const folder = relative(environment.cwd, root);
  reporter.text(`\nNext:${folder === '' ? '' : `  cd ${shellWord(folder)}  &&`}  npm install  &&  npm run dev\n`);
}

async function describe(
  root: string,
  { context, options }: { readonly context: Context; readonly options: InitOptions },
): Promise<Project> {
  const here = existsSync(join(root, 'package.json')) ? findProject(root) : undefined;
  if (here?.root === root) return here;
  if (existsSync(join(root, 'package.json'))) throw inTheWay(root);
  const name = options.name ?? nameFrom(basename(root));
  const domain = options.domain ?? (await promptForDomain(context, options));
  return { root, name: checkName('name', name), domain: checkName('domain', domain), certificates: 'own' };
}

async function promptForDomain({ environment }: Context, { yes = false }: InitOptions): Promise<string> {
  const usual = 'example.com';
  if (yes) return usual;
  if (!environment.interactive) {
    throw new CliError('KW7103', {
      what: 'the project needs a domain for its API groups',
      why: 'no domain was specified, and there is no terminal to prompt on',
      remedy: `add --domain ${usual}, or --yes to use the default`,
    });
  }
  const { isCancel, text } = await import('@clack/prompts');
  const domain = await text({
    message: 'Domain of your API groups',
    placeholder: usual,
    defaultValue: usual,
    validate: (given) => {
      try {
        checkName('domain', given || usual);
        return undefined;
      } catch (error) {
        return error instanceof CliError ? error.text.why : String(error);
      }
    },
  });
  if (!isCancel(domain)) return domain;
  throw new CliError('KW7103', {
    what: 'cannot create the project',
    why: 'no domain was entered',
    remedy: `add --domain ${usual}`,
  });
}

function inTheWay(root: string): CliError {
  return new CliError('KW7104', {
    what: `cannot create a project in ${root}`,
    why: `the package.json in this folder belongs to ${packageName(root) ?? 'another project'}; nothing was written`,
    remedy:
      'choose an empty folder, or first add "kubewright": { "domain": "example.com" } to the existing package.json',
  });
}

function packageName(root: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const name: unknown = typeof content === 'object' && content !== null ? Reflect.get(content, 'name') : undefined;
    if (typeof name !== 'string') return undefined;
    return /^[\w@./-]+$/.test(name) ? name : JSON.stringify(name);
  } catch (error) {
    // The package.json is not valid JSON, so this program did not write it.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
