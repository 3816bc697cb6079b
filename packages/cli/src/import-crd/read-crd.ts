import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { isNotFound } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import type { CliEnvironment } from '../program/cli-environment.ts';
import { CliError } from '../program/cli-error.ts';
import { type ClusterFlags, connect } from '../target/connect.ts';

/** Maximum size of the text, in bytes. The largest known CRDs have about 5 MB. */
const largest = 16 * 1024 * 1024;
const patienceMs = 30_000;
const maxRedirects = 5;

/** Reads the text of CRDs from a file, a URL, or a kind in a cluster. @throws CliError KW7601 */
export function readCrd(
  source: string,
  from: { readonly environment: CliEnvironment; readonly flags: ClusterFlags },
): Promise<string> {
  const { environment, flags } = from;
  if (/^https?:\/\//i.test(source)) return download(source, environment);
  const path = resolve(environment.cwd, source);
  if (existsSync(path)) return Promise.resolve(readFile(path));
  const isFileName = /\.(ya?ml|json)$/i.test(source);
  if (!isFileName && /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(source))
    return fetchFromCluster(source, { environment, flags });
  throw unreadable(
    source,
    `the file ${path} does not exist`,
    'specify a file, an https URL, or the name of a CRD such as postgresqls.example.com',
  );
}

function readFile(path: string): string {
  const { size } = statSync(path);
  if (size > largest) throw tooLarge(path);
  return readFileSync(path, 'utf8');
}

async function fetchFromCluster(
  name: string,
  { environment, flags }: { readonly environment: CliEnvironment; readonly flags: ClusterFlags },
): Promise<string> {
  await using connection = await connect(environment, flags);
  try {
    const crd = await connection.client
      .resource(CustomResourceDefinition)
      .get({ name }, { signal: environment.signal });
    const { status: _status, ...rest } = crd;
    return JSON.stringify(rest);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw unreadable(name, `the API server ${connection.server} has no CRD ${name}`, 'list the CRDs: kubectl get crds');
  }
}

async function download(address: string, { clock, signal }: CliEnvironment): Promise<string> {
  const late = new AbortController();
  using _timer = clock.setTimer(patienceMs, () => late.abort(new Error(`no response within ${patienceMs / 1000} s`)));
  const limit = AbortSignal.any([signal, late.signal]);
  let url = allowed(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await fetch(url, { redirect: 'manual', signal: limit }).catch((error: unknown) => {
      signal.throwIfAborted();
      const { message, cause } = error as Error;
      throw unreadable(
        url.href,
        cause instanceof Error ? cause.message : message,
        'check that the address is reachable',
      );
    });
    const location = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && location !== null) {
      url = allowed(new URL(location, url).href);
      continue;
    }
    if (!response.ok)
      throw unreadable(url.href, `the server responded with status ${response.status}`, 'check the address');
    return await bodyOf(response, url.href);
  }
  throw unreadable(address, `more than ${maxRedirects} redirects`, 'use the final URL');
}

/** Rejects plain HTTP: the download becomes code, so it must be protected against tampering in transit. */
function allowed(address: string): URL {
  const url = new URL(address);
  const isLoopback = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return url;
  throw unreadable(
    url.href,
    'only https URLs are supported',
    'use an https URL, or download the CRD and specify the file',
  );
}

async function bodyOf(response: Response, address: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > largest) throw tooLarge(address);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLarge(source: string): CliError {
  return unreadable(
    source,
    `the CRD is larger than ${largest / 1024 / 1024} MiB`,
    'specify a file with only the CRDs that you need',
  );
}

function unreadable(source: string, why: string, remedy: string): CliError {
  return new CliError('KW7601', { what: `cannot read a CRD from ${source}`, why, remedy });
}
