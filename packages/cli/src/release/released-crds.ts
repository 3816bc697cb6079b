import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Crd, compareCrds } from '@kubewright/codegen';
import { parseAllDocuments } from 'yaml';
import { CliError } from '../program/cli-error.ts';
import type { ProjectFile } from '../project/write-files.ts';

/** The folder for the CRDs of the last release; in the project, so that clones without tags have it too. */
const releasedFolder = 'config/crd/released';
const basesFolder = 'config/crd/bases';
/** The maximum number of changes in a message. */
const most = 20;

/** A change that breaks users of the last release. */
export interface Break {
  /** Name of the CRD. */
  readonly crd: string;
  readonly kind: string;
  /** `v1 spec.size`; empty if the whole kind is affected. */
  readonly where: string;
  readonly message: string;
}

/** The CRDs of the last release. */
export interface Release {
  readonly version: string;
  readonly crds: readonly Crd[];
}

/** Reads the CRDs of the last `build --release`; undefined before the first release. */
export function lastRelease(root: string): Release | undefined {
  const texts = filesIn(join(root, releasedFolder));
  const [first] = texts;
  if (first === undefined) return undefined;
  return { version: /^# Released with (\S+):/.exec(first)?.[1] ?? 'unknown', crds: texts.flatMap(crdsIn) };
}

/** Returns the changes in the generated CRDs that break the last release. */
export function breaksOf({ crds }: Release, files: readonly ProjectFile[]): readonly Break[] {
  const now = files.filter(({ path }) => path.startsWith(`${basesFolder}/`)).flatMap(({ text }) => crdsIn(text));
  return breaks(crds, now);
}

/**
 * Rejects generated files whose CRDs break the last release. Breaking changes already in `config/crd/bases` were allowed when
 * they were written, so each needs to be allowed only once.
 *
 * @throws CliError KW7403
 */
export function refuseBreaks(root: string, files: readonly ProjectFile[]): void {
  const release = lastRelease(root);
  if (!release) return;
  const allowed = breaks(release.crds, filesIn(join(root, basesFolder)).flatMap(crdsIn)).map(printBreak);
  const found = breaksOf(release, files).filter((each) => !allowed.includes(printBreak(each)));
  if (found.length === 0) return;
  const lines = found.slice(0, most).map(printBreak);
  const more = found.length > most ? [`and ${found.length - most} more`] : [];
  throw new CliError('KW7403', {
    what: `the types would break what was released with ${release.version}; nothing was written`,
    why: [`objects or clients that were fine are not any more:`, ...lines, ...more].join('\n'),
    remedy:
      'undo it, or make it in a new version of the kind; if nobody depends on it: kubewright generate --allow-breaking',
  });
}

/** Formats a breaking change as one line of text. */
export function printBreak({ crd, kind, where, message }: Break): string {
  return `${[crd, where].filter(Boolean).join(' ')}: ${message} (${kind})`;
}

/** Stores the current CRDs as those of a release. @throws CliError KW7404 if the version was released with other CRDs */
export function keepRelease(
  root: string,
  { version, crds }: { readonly version: string; readonly crds: readonly ProjectFile[] },
): void {
  const folder = join(root, releasedFolder);
  const own = crds.filter(({ path }) => path.startsWith(`${basesFolder}/`));
  const header = `# Released with ${version}: kubewright generate compares later types with it. Written by kubewright build --release.\n`;
  const files = own.map(({ path, text }) => ({ name: path.slice(basesFolder.length + 1), text: `${header}${text}` }));
  const before = existsSync(folder) ? readdirSync(folder) : [];
  const last = lastRelease(root);
  const isSame = files.every(({ name, text }) => readIfThere(join(folder, name)) === text);
  if (last?.version === version && !(isSame && before.length === files.length)) {
    throw new CliError('KW7404', {
      what: `${version} is released already, with other kinds`,
      why: `what ${releasedFolder} holds of it is not what the types say now`,
      remedy: 'npm version minor, then build the release again',
    });
  }
  mkdirSync(folder, { recursive: true });
  for (const name of before) if (!files.some((file) => file.name === name)) rmSync(join(folder, name));
  for (const { name, text } of files) writeFileSync(join(folder, name), text);
}

function breaks(before: readonly Crd[], after: readonly Crd[]): readonly Break[] {
  return before.flatMap((old): readonly Break[] => {
    const crd = old.metadata.name;
    const now = after.find(({ metadata }) => metadata.name === crd);
    if (!now) return [{ crd, kind: 'kind-removed', where: '', message: 'the kind and all of its objects are removed' }];
    return compareCrds(old, now)
      .filter(({ severity }) => severity === 'breaking')
      .map(({ kind, version = '', path, message }) => ({ crd, kind, where: `${version} ${path}`.trim(), message }));
  });
}

function crdsIn(text: string): readonly Crd[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Crd | null)
    .filter((object): object is Crd => object?.kind === 'CustomResourceDefinition');
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  return names.sort().map((name) => readFileSync(join(folder, name), 'utf8'));
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}
