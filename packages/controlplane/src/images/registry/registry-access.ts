import { parseImageReference } from '@kubewright/apimachinery/internal';
import type { Credential } from './credential.ts';
import { helperCredential } from './credential-helper.ts';
import { type DockerConfig, readDockerConfig } from './docker-config.ts';
import { HttpConnections } from './http-connections.ts';
import { Keyring } from './keyring.ts';
import type { PullOptions } from './pull-options.ts';
import { secretCredentials } from './pull-secret.ts';
import { RegistryAccessError, RegistryError } from './registry-error.ts';
import { RegistrySession } from './registry-session.ts';
import { trustedCertificates } from './trusted-certificates.ts';

/** Connections to registries, with the credentials of Secrets, of docker's configuration and of its helper programs. */
export class RegistryAccess implements Disposable {
  readonly #options: PullOptions;
  readonly #config: DockerConfig;
  readonly #connections: HttpConnections;

  /** @throws RegistryError if docker's configuration cannot be read */
  constructor(options: PullOptions) {
    const { env, caFile } = options;
    this.#options = options;
    this.#config = readDockerConfig(env);
    this.#connections = new HttpConnections({ env, certificates: () => trustedCertificates({ env, caFile }) });
  }

  /**
   * Calls `use` with each credential that applies to an image's repository, until one has access. The credential of
   * docker's helper program comes last. `open` creates a session with the credential.
   *
   * @param options - `scopes`: scopes that the session needs in addition to reading, as in {@link RegistrySession}.
   * @throws ImageReferenceError, RegistryError or the error of `use`; the signal's reason if it is aborted.
   */
  async withCredentials<T>(
    image: string,
    use: (open: (signal: AbortSignal) => RegistrySession) => Promise<T>,
    { scopes }: { readonly scopes?: readonly string[] } = {},
  ): Promise<T> {
    const { env, secrets = [], plainHttp = [], clock, random, signal } = this.#options;
    const { domain, path } = parseImageReference(image);
    const found = [secretCredentials(secrets), this.#config.credentials].flatMap((keys) =>
      new Keyring(keys).find(`${domain}/${path}`),
    );
    const failures: Failure[] = [];
    const helper = helperFor(this.#config, domain);
    const fromHelper = helper && (() => helperCredential(helper.name, { ...helper, env, signal }));
    for await (const credential of allCredentials(found, { fromHelper, failures })) {
      const settings = {
        domain,
        path,
        credential,
        plainHttp: new Set(plainHttp),
        connections: this.#connections,
        scopes,
      };
      try {
        return await use((one) => new RegistrySession({ ...settings, retry: { clock, random, signal: one } }));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof RegistryAccessError)) throw error;
        failures.push({ error, credential });
      }
    }
    throw failures.reduce(combined).error;
  }

  [Symbol.dispose](): void {
    this.#connections[Symbol.dispose]();
  }
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
     * Receives the error of a helper. The failure is not final: the image may be public, and docker's helpers may not
     * be installed on this machine.
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

/** The failure of an attempt with one credential, or of the helper program. */
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
