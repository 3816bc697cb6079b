import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../program/cli-error.ts';
import { isName } from './names.ts';

/** The issuer of the certificates for a deployed operator's webhooks and metrics. */
export type WebhookCertificates = 'own' | 'cert-manager';

/** A folder whose package.json has a `kubewright` field. */
export interface Project {
  /** Absolute path. */
  readonly root: string;
  /** Name of the package without its scope; prefix of all names in the cluster. */
  readonly name: string;
  /** Suffix of the project's API groups: `example.com`. */
  readonly domain: string;
  /** `kubewright.certificates` in package.json: the issuer of the certificates for webhooks and metrics. @defaultValue 'own' */
  readonly certificates: WebhookCertificates;
}

/** Finds the project that a folder belongs to. */
export function findProject(cwd: string): Project | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = readProject(folder);
    if (found || folder === dirname(folder)) return found;
  }
}

/** Finds the project or fails. @throws CliError KW7101 */
export function requireProject(cwd: string): Project {
  const project = findProject(cwd);
  if (project) return project;
  throw new CliError('KW7101', {
    what: `${cwd} is not in a Kubewright project`,
    why: 'no package.json with a "kubewright" field exists in this folder or its parents',
    remedy: 'change to the folder of a project, or create a project: kubewright init my-operator --domain example.com',
  });
}

function readProject(root: string): Project | undefined {
  let manifest: { readonly name?: unknown; readonly kubewright?: Readonly<Record<string, unknown>> } | null;
  try {
    manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  } catch {
    // The package.json is missing or unreadable; a parent folder may have one.
    return undefined;
  }
  const { domain, certificates = 'own' } = manifest?.kubewright ?? {};
  if (typeof domain !== 'string' || typeof manifest?.name !== 'string') return undefined;
  const name = manifest.name.replace(/^@[^/]*\//, '');
  checkForms(root, { name, domain });
  return { root, name, domain, certificates: checked(certificates, root) };
}

/** Validates name and domain, because they become part of names in the cluster, code, manifests and commands. */
function checkForms(root: string, { name, domain }: { readonly name: string; readonly domain: string }): void {
  const wrong = (what: string, value: string, why: string): CliError =>
    new CliError('KW7102', {
      what: `invalid project ${what} ${JSON.stringify(value)}`,
      why,
      remedy: `fix ${what === 'name' ? '"name"' : '"domain" in the field "kubewright"'} in ${join(root, 'package.json')}`,
    });
  if (!/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name))
    throw wrong(
      'name',
      name,
      'the name must consist of lower-case letters, digits and dashes, start with a letter, and have at most 63 characters',
    );
  if (!isName('domain', domain)) throw wrong('domain', domain, 'the value must be a domain such as example.com');
}

function checked(certificates: unknown, root: string): WebhookCertificates {
  if (certificates === 'own' || certificates === 'cert-manager') return certificates;
  throw new CliError('KW7102', {
    what: `invalid value ${JSON.stringify(certificates)} of "certificates"`,
    why: `"certificates" in the field "kubewright" of ${join(root, 'package.json')} must be "own" or "cert-manager"`,
    remedy: 'set one of these values, or remove the field to let the operator create its own certificates',
  });
}
