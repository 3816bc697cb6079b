import { parseImageReference } from '@kubewright/apimachinery/internal';
import type { ContentStore } from '../content-store.ts';
import type { Credential } from './credential.ts';
import { type DockerConfig, readDockerConfig } from './docker-config.ts';
import { HttpConnections } from './http-connections.ts';
import { Keyring } from './keyring.ts';
import { type PulledImage, pullContent } from './pull-image.ts';
import type { PullOptions } from './pull-options.ts';
import { secretCredentials } from './pull-secret.ts';
import { RegistryAccessError } from './registry-error.ts';
import { RegistryRepository } from './registry-repository.ts';
import { RegistrySession } from './registry-session.ts';
import { trustedCertificates } from './trusted-certificates.ts';

/**
 * Pulls an image from its registry into the store. Tries the credentials that apply to the repository one after the other until
 * one has access, or none if none apply.
 *
 * @param options - `name`: the complete name. `maxBytes`: maximum size of the compressed image.
 * @throws ImageReferenceError, RegistryError or ImageStoreError if that fails; the signal's reason.
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
  const denials: RegistryAccessError[] = [];
  for (const credential of found.length > 0 ? found : [undefined]) {
    try {
      return await attempt(credential);
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof RegistryAccessError)) throw error;
      denials.push(error);
    }
  }
  throw withHelper(denials.reduce(combined), helperOf(config, domain));
}

function helperOf({ helperOf: find }: DockerConfig, domain: string): string | undefined {
  return find(domain === 'docker.io' ? 'index.docker.io' : domain) ?? find(domain);
}

/** Combines the errors of two credentials. */
function combined(first: RegistryAccessError, next: RegistryAccessError): RegistryAccessError {
  const text = `${next.what}: ${next.why}`;
  if (first.message.includes(text)) return first;
  const why = `${first.why}; with other credentials: ${text}`;
  return new RegistryAccessError({ what: first.what, why, remedy: first.remedy });
}

/** Explains a denial of which the reason may be credentials that only a helper program knows. */
function withHelper(error: RegistryAccessError, helper: string | undefined): RegistryAccessError {
  if (helper === undefined) return error;
  const remedy = `if it needs a login: docker keeps the credentials with docker-credential-${helper}, which is not supported; put them into the field auths of docker's config.json, or into an imagePullSecret`;
  return new RegistryAccessError({ what: error.what, why: error.why, remedy });
}
