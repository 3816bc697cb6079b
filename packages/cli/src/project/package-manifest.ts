import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../program/cli-error.ts';

/** A person in package.json. */
export interface Person {
  readonly name: string;
  readonly email?: string;
  readonly url?: string;
}

/** The fields of a project's package.json that artifacts show. */
export interface PackageManifest {
  /** Semantic version, shared by image, chart and bundle. */
  readonly version: string;
  readonly description?: string;
  readonly license?: string;
  readonly homepage?: string;
  /** URL that a browser can open. */
  readonly repository?: string;
  readonly keywords: readonly string[];
  readonly author?: Person;
  /** True if `kubewright.securityUpdates`, a list of versions, contains this version. */
  readonly hasSecurityUpdates: boolean;
}

// The format from semver.org, without its rule on leading zeros in pre-releases.
const semantic = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/;

/** True for versions without a stability promise. */
export function isEarly(version: string): boolean {
  return /^0\.|-/.test(version);
}

/** Reads a project's package.json. @throws CliError KW7102 if the version is invalid */
export function readPackage(root: string): PackageManifest {
  // `findProject` has already parsed this file, so it is valid JSON.
  const content = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;
  const version = text(content['version']) ?? '';
  if (!semantic.test(version)) {
    throw new CliError('KW7102', {
      what: `invalid version ${JSON.stringify(content['version'] ?? '')} in package.json`,
      why: 'the chart and the bundle use this version, which must be a semantic version such as 0.1.0',
      remedy: 'set a version: npm version 0.1.0 --no-git-tag-version',
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

/**
 * Returns the versions with security updates. The field is a list, because a flag would be wrong as soon as the version
 * changes.
 */
function securityUpdates(field: unknown, root: string): readonly string[] {
  const { securityUpdates: versions = [] } = (field ?? {}) as { readonly securityUpdates?: unknown };
  const isVersion = (each: unknown): boolean => typeof each === 'string' && semantic.test(each);
  if (Array.isArray(versions) && versions.every(isVersion)) return versions;
  throw new CliError('KW7102', {
    what: `invalid value ${JSON.stringify(versions)} of "securityUpdates"`,
    why: `"securityUpdates" in the field "kubewright" of ${join(root, 'package.json')} must be a list of versions`,
    remedy: 'use the form "securityUpdates": ["0.2.1"], or remove the field',
  });
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [key in K]?: V } {
  // TypeScript does not infer a narrower type for a computed key.
  return value === undefined ? {} : ({ [key]: value } as { readonly [key in K]: V });
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns the same URL for `git+https://github.com/a/b.git`, `github:a/b` and `a/b`. */
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
