import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../program/cli-error.ts';

/** A person, as package.json names one. */
export interface Person {
  readonly name: string;
  readonly email?: string;
  readonly url?: string;
}

/** What a project's package.json says of it to those who install it. */
export interface PackageManifest {
  /** Semantic version: the one version of image, chart and bundle. */
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly homepage?: string;
  /** Address that a browser can open. */
  readonly repository?: string;
  readonly keywords: readonly string[];
  readonly author?: Person;
  /** Whether `kubewright.securityUpdates`, a list of versions, has this one. */
  readonly hasSecurityUpdates: boolean;
}

// The form that semver.org gives, without its rule on leading zeros of pre-releases.
const semantic = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** Whether a version promises nothing yet. */
export function isEarly(version: string): boolean {
  return /^0\.|-/.test(version);
}

/** Reads what package.json says. @throws CliError KW7102 for a version that is none */
export function readPackage(root: string): PackageManifest {
  // It is a project's: found by this file.
  const content = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;
  const version = text(content['version']) ?? '';
  if (!semantic.test(version)) {
    throw new CliError('KW7102', {
      what: `${JSON.stringify(content['version'] ?? '')} cannot be a version`,
      why: 'chart and bundle carry the version of package.json, which has to be one such as 0.1.0',
      remedy: 'npm version 0.1.0 --no-git-tag-version',
    });
  }
  const keywords = Array.isArray(content['keywords']) ? content['keywords'].filter((each) => text(each)) : [];
  return {
    version,
    keywords: keywords.map(String),
    hasSecurityUpdates: securityUpdates(content['kubewright'], root).includes(version),
    ...optional('description', text(content['description'])),
    ...optional('license', text(content['license'])),
    ...optional('homepage', text(content['homepage'])),
    ...optional('repository', repositoryOf(content['repository'])),
    ...optional('author', personOf(content['author'])),
  };
}

/** Versions, not a flag: what a flag says is wrong from the next version on. */
function securityUpdates(field: unknown, root: string): readonly string[] {
  const { securityUpdates: versions = [] } = (field ?? {}) as { readonly securityUpdates?: unknown };
  const isVersion = (each: unknown): boolean => typeof each === 'string' && semantic.test(each);
  if (Array.isArray(versions) && versions.every(isVersion)) return versions;
  throw new CliError('KW7102', {
    what: `${JSON.stringify(versions)} cannot be the versions with security updates`,
    why: `"securityUpdates" in the field "kubewright" of ${join(root, 'package.json')} is a list of versions`,
    remedy: 'write them as "securityUpdates": ["0.2.1"], or leave it out',
  });
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  // A computed key has no narrower type.
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: V });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** `git+https://github.com/a/b.git`, `github:a/b` and `a/b` are all one address. */
function repositoryOf(value: unknown): string | undefined {
  const url = text(typeof value === 'object' && value !== null ? (value as { readonly url?: unknown }).url : value);
  if (url === undefined) return undefined;
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(url)?.[1];
  if (short !== undefined) return `https://github.com/${short}`;
  const address = url.replace(/^git\+/, '').replace(/\.git$/, '');
  return /^https?:\/\//.test(address) ? address : undefined;
}

function personOf(value: unknown): Person | undefined {
  if (typeof value === 'string') {
    const [, name = '', email, url] = /^([^<(]*)(?:<([^>]*)>)?\s*(?:\(([^)]*)\))?/.exec(value) ?? [];
    return personOf({ name: name.trim(), email, url });
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, email, url } = value as { readonly name?: unknown; readonly email?: unknown; readonly url?: unknown };
  const called = text(name);
  return called === undefined
    ? undefined
    : { name: called, ...optional('email', text(email)), ...optional('url', text(url)) };
}
