import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Credential } from './credential.ts';
import { RegistryError } from './registry-error.ts';

/** The parts of docker's `config.json` that concern credentials. */
export interface DockerConfig {
  /** Credentials by registry, as written in the file: `https://index.docker.io/v1/`, `registry.example:5000/team`. */
  readonly credentials: ReadonlyMap<string, Credential>;
  /** Returns the credential helper that keeps the credentials of a registry, if there is one. A registry can have several names. */
  readonly helperOf: (...names: readonly string[]) => string | undefined;
}

interface AuthEntry {
  readonly auth?: unknown;
  readonly username?: unknown;
  readonly password?: unknown;
  readonly identitytoken?: unknown;
  readonly registrytoken?: unknown;
}

/**
 * Reads the user's docker configuration: `config.json` in `DOCKER_CONFIG`, or in `~/.docker`. The file need not exist.
 *
 * @throws RegistryError if it cannot be read.
 */
export function readDockerConfig(env: Readonly<Record<string, string | undefined>>): DockerConfig {
  const file = join(env['DOCKER_CONFIG'] || join(env['HOME'] || homedir(), '.docker'), 'config.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    const { code, message: why } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return parseDockerConfig('{}', file);
    throw new RegistryError({ what: `cannot read the registry credentials in ${file}`, why }, { cause });
  }
  return parseDockerConfig(text, file);
}

/**
 * Parses a `config.json`. Errors never quote the text, because it contains passwords.
 *
 * @param source - the file or Secret that contains it, for errors.
 * @throws RegistryError if it is malformed.
 */
export function parseDockerConfig(text: string, source: string): DockerConfig {
  const config = parseJson(text, source);
  const { credsStore } = config;
  const auths = objectIn(config, { field: 'auths', source });
  const helpers = objectIn(config, { field: 'credHelpers', source });
  return {
    credentials: credentialsOf(auths, source),
    helperOf: (...names) => {
      const helper = names.map((name) => helpers[name]).find(isText) ?? credsStore;
      return typeof helper === 'string' && helper !== '' ? helper : undefined;
    },
  };
}

/** Parses the legacy `.dockercfg`, which is the content of `auths` alone. @throws RegistryError if it is malformed */
export function parseDockercfg(text: string, source: string): DockerConfig {
  return { credentials: credentialsOf(parseJson(text, source), source), helperOf: () => undefined };
}

function credentialsOf(auths: Readonly<Record<string, unknown>>, source: string): ReadonlyMap<string, Credential> {
  const credentials = new Map<string, Credential>();
  for (const [registry, entry] of Object.entries(auths)) {
    const credential = credentialOf(entry, { registry, source });
    if (credential) credentials.set(registry, credential);
  }
  return credentials;
}

function credentialOf(
  entry: unknown,
  { registry, source }: { readonly registry: string; readonly source: string },
): Credential | undefined {
  if (typeof entry !== 'object' || entry === null)
    throw malformed(source, `the entry for ${registry} is not an object`);
  const { auth, username, password, identitytoken, registrytoken } = entry as AuthEntry;
  if (isText(identitytoken)) return { type: 'identityToken', token: identitytoken };
  if (isText(registrytoken)) return { type: 'registryToken', token: registrytoken };
  if (isText(auth)) {
    const [, name, word] = /^([^:]*):(.*)$/s.exec(Buffer.from(auth, 'base64').toString('utf8')) ?? [];
    if (name === undefined || word === undefined)
      throw malformed(source, `the field auth for ${registry} is not the base64 of USERNAME:PASSWORD`);
    // Docker pads passwords with zero bytes.
    return { type: 'password', username: name, password: word.replace(/\0+$/, '') };
  }
  if (isText(username)) return { type: 'password', username, password: isText(password) ? password : '' };
  return undefined;
}

function objectIn(
  config: Readonly<Record<string, unknown>>,
  { field, source }: { readonly field: string; readonly source: string },
): Readonly<Record<string, unknown>> {
  const value = config[field] ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Readonly<Record<string, unknown>>;
  throw malformed(source, `the field ${field} is not an object`);
}

function parseJson(text: string, source: string): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which contains passwords.
    throw malformed(source, 'the content is not valid JSON');
  }
  if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>;
  throw malformed(source, 'the content is not a JSON object');
}

function malformed(source: string, why: string): RegistryError {
  return new RegistryError({ what: `cannot read the registry credentials in ${source}`, why });
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
