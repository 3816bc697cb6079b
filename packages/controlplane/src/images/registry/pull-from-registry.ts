import { parseImageReference } from '@kubewright/apimachinery/internal';
import type { ContentStore } from '../content-store.ts';
import type { Credential } from './credential.ts';
import { helperCredential } from './credential-helper.ts';
import { type DockerConfig, readDockerConfig } from './docker-config.ts';
import { HttpConnections } from './http-connections.ts';
import { Keyring } from './keyring.ts';
import { type PulledImage, pullContent } from './pull-image.ts';
import type { PullOptions } from './pull-options.ts';
import { secretCredentials } from './pull-secret.ts';
import { RegistryAccessError, RegistryError } from './registry-error.ts';
import { RegistryRepository } from './registry-repository.ts';
import { RegistrySession } from './registry-session.ts';
import { trustedCertificates } from './trusted-certificates.ts';

/**
 * Pulls an image from its registry into the store. Tries the credentials that apply to the repository one after the other until
 * one has access. The credential of docker's helper program comes last.
 *
 * @param options - `name`: the complete name. `maxBytes`: maximum size of the compressed image.
 * @throws ImageReferenceError, RegistryError or ImageStoreError if the pull fails; the signal's reason if it is aborted.
 */
export async function pullFromRegistry(
  image: string,
  options: PullOptions & { readonly name: string; readonly content: ContentStore; readonly maxBytes: number },
): Promise<PulledImage> {
  const { env, caFile, secrets = [], plainHttp = [], clock, random, name } = options;
  const { domain, path, tag = 'latest', digest = tag } = parseImageReference(image);
  const config = readDockerConfig(env);
  const repositoryName = `${domain}/${path}`;
  const found = [secretCredentials(secrets), config.credentials].flatMap((keys) =>
    new Keyring(keys).find(repositoryName),
  );
  using connections = new HttpConnections(() => trustedCertificates({ env, caFile }));
  const attempt = (credential: Credential | undefined): Promise<PulledImage> =>
    pullContent(digest, {
      ...options,
      onLayer: options.onLayer,
      repository: (signal) => {
        const retry = { clock, random, signal };
        const settings = { domain, path, credential, plainHttp: new Set(plainHttp), connections, retry };
        return new RegistryRepository(new RegistrySession(settings), { name, retry });
      },
    });
  const failures: Failure[] = [];
  const helper = helperFor(config, domain);
  const fromHelper = helper && (() => helperCredential(helper.name, { ...helper, env, signal: options.signal }));
  for await (const credential of allCredentials(found, { fromHelper, failures })) {
    try {
      return await attempt(credential);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof RegistryAccessError)) throw error;
      failures.push({ error, credential });
    }
  }
  throw failures.reduce(combined).error;
}

/**
 * Yields the known credentials, then the credential of a helper program, which may be slow. Yields only `undefined` if no
 * credential exists.
 */
async function* allCredentials(
  known: readonly Credential[],
  options: {
    readonly fromHelper: (() => Promise<Credential | undefined>) | undefined;
    /**
     * Receives the error of a helper. The failure is not final: the image may be public, and `docker` may not be installed here.
     */
    readonly failures: Failure[];
  },
): AsyncGenerator<Credential | undefined> {
  yield* known;
  let last: Credential | undefined;
  try {
    last = await options.fromHelper?.();
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    options.failures.push({ error, credential: undefined });
  }
  if (last || known.length === 0) yield last;
}

/** Returns the helper program that keeps the credentials of a registry, and docker's name for the registry. */
function helperFor(
  { helperOf }: DockerConfig,
  domain: string,
): { readonly name: string; readonly server: string } | undefined {
  const isDockerHub = domain === 'docker.io';
  const server = isDockerHub ? 'https://index.docker.io/v1/' : domain;
  const name = isDockerHub ? helperOf(server, 'index.docker.io', domain) : helperOf(domain);
  return name === undefined ? undefined : { name, server };
}

/** The failure of one attempt, or of the helper. */
interface Failure {
  readonly error: RegistryError;
  readonly credential: Credential | undefined;
}

/** Combines the errors of two attempts. */
function combined(first: Failure, next: Failure): Failure {
  const { what, why, remedy } = first.error;
  const text = `${next.error.what}: ${next.error.why}`;
  if (first.error.message.includes(text)) return first;
  const how = next.credential ? 'with other credentials' : 'without credentials';
  const error = new RegistryAccessError({ what, why: `${why}; ${how}: ${text}`, remedy: remedy ?? next.error.remedy });
  return { ...first, error };
}
