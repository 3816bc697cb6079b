import type { ClientCredentials, CredentialProvider } from '../transport/credentials.ts';
import { untilAborted } from '../until-aborted.ts';
import type { ConfigEnvironment, SpawnResult } from './config-environment.ts';
import { ConfigError } from './config-error.ts';
import type { ExecEntry } from './kubeconfig.ts';

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const MAX_OUTPUT_BYTES = 1 << 20;
const QUOTED_CHARACTERS = 2_000;
/** Time for a plugin that asks nobody; one that asks a person gets {@link INTERACTIVE_TIMEOUT_MS}. */
const TIMEOUT_MS = 60_000;
const INTERACTIVE_TIMEOUT_MS = 300_000;
/** Credentials are renewed this long before they expire, or a tenth of their life before, whichever is less. */
const EARLY_MS = 60_000;

/** Options of {@link ExecCredentials}. */
export interface ExecCredentialsOptions {
  readonly exec: ExecEntry;
  /** `spec.cluster` of the plugin's input; sent if the plugin asks for it. */
  readonly cluster?: Readonly<Record<string, unknown>> | undefined;
  readonly environment: ConfigEnvironment;
}

/**
 * Credentials from a plugin (`client.authentication.k8s.io` v1, v1beta1).
 *
 * The plugin runs when the first request needs it, at most once at a time, and again shortly before its credentials
 * expire or after the server answered 401 to them.
 */
export class ExecCredentials implements CredentialProvider {
  readonly #options: ExecCredentialsOptions;
  #current: { readonly credentials: ClientCredentials; readonly renewAt: number } | undefined;
  #running: Promise<ClientCredentials> | undefined;

  constructor(options: ExecCredentialsOptions) {
    this.#options = options;
  }

  get(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<ClientCredentials> {
    const current = this.#current;
    if (current && this.#options.environment.clock.now() < current.renewAt) return Promise.resolve(current.credentials);
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return untilAborted(this.#running, options.signal);
  }

  reject(credentials: ClientCredentials): boolean {
    if (this.#current?.credentials === credentials) this.#current = undefined;
    return true;
  }

  async #run(): Promise<ClientCredentials> {
    const { exec, environment } = this.#options;
    const interactive = this.#interactive();
    const { clock, spawner } = environment;
    const timeoutMs = interactive ? INTERACTIVE_TIMEOUT_MS : TIMEOUT_MS;
    const stop = new AbortController();
    const timer = clock.setTimer(timeoutMs, () => stop.abort(), { unref: true });
    let result: SpawnResult;
    try {
      result = await spawner.run({
        command: exec.command,
        args: exec.args,
        env: this.#env(interactive),
        interactive,
        signal: stop.signal,
        maxOutputBytes: MAX_OUTPUT_BYTES,
      });
    } catch (cause) {
      throw this.#fault(`cannot be started (${errorCode(cause)})${this.#hint()}`, cause);
    } finally {
      timer[Symbol.dispose]();
    }
    if (stop.signal.aborted) throw this.#fault(`was killed: it did not end within ${timeoutMs / 1000} s`);
    if (result.exitCode !== 0) {
      const said = result.stderr.trim().slice(0, QUOTED_CHARACTERS);
      const hint = result.exitCode === 127 ? this.#hint() : '';
      throw this.#fault(`ended with exit code ${result.exitCode}${said === '' ? '' : `: ${said}`}${hint}`);
    }
    return this.#accept(result.stdout);
  }

  #interactive(): boolean {
    const { exec, environment } = this.#options;
    if (!VERSIONS.includes(exec.apiVersion)) {
      throw this.#fault(`wants apiVersion ${JSON.stringify(exec.apiVersion)}; known are ${VERSIONS.join(' and ')}`);
    }
    if (exec.command === '') throw this.#fault('has no command');
    if (exec.interactiveMode === undefined && exec.apiVersion === VERSIONS[0]) {
      throw this.#fault('has no interactiveMode, which v1 requires: Never, IfAvailable or Always');
    }
    if (exec.interactiveMode === 'Always' && !environment.isInteractive) {
      throw this.#fault('wants to ask a person (interactiveMode: Always), but standard input is no terminal');
    }
    return exec.interactiveMode !== 'Never' && environment.isInteractive;
  }

  #env(interactive: boolean): Readonly<Record<string, string | undefined>> {
    const { exec, cluster, environment } = this.#options;
    const info = {
      kind: 'ExecCredential',
      apiVersion: exec.apiVersion,
      spec: { ...(exec.provideClusterInfo && cluster ? { cluster } : {}), interactive },
    };
    const own = Object.fromEntries(exec.env.map(({ name, value }) => [name, value]));
    return { ...environment.env, ...own, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  }

  #accept(stdout: string): ClientCredentials {
    const status = this.#statusOf(stdout);
    const text = (name: string): string | undefined => {
      const value = status[name];
      if (value === undefined || value === null || value === '') return undefined;
      if (typeof value !== 'string') throw this.#fault(`answered a status.${name} that is no string`);
      return value;
    };
    const token = text('token');
    const cert = text('clientCertificateData');
    const key = text('clientKeyData');
    if ((cert === undefined) !== (key === undefined))
      throw this.#fault('answered a certificate without key, or a key without certificate');
    if (token === undefined && cert === undefined) throw this.#fault('answered neither a token nor a certificate');
    const credentials: ClientCredentials = {
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      cert,
      key,
    };
    this.#current = { credentials, renewAt: this.#renewAt(text('expirationTimestamp')) };
    return credentials;
  }

  #statusOf(stdout: string): Readonly<Record<string, unknown>> {
    const { exec } = this.#options;
    let document: { readonly kind?: unknown; readonly apiVersion?: unknown; readonly status?: unknown } | null;
    try {
      document = JSON.parse(stdout);
    } catch {
      // The cause would quote the output, which may hold a token.
      throw this.#fault('answered something that is not JSON');
    }
    if (document?.kind !== 'ExecCredential') throw this.#fault('answered no ExecCredential');
    if (document.apiVersion !== exec.apiVersion) {
      throw this.#fault(`answered apiVersion ${JSON.stringify(document.apiVersion)} instead of ${exec.apiVersion}`);
    }
    if (typeof document.status !== 'object' || document.status === null) throw this.#fault('answered no status');
    return document.status as Readonly<Record<string, unknown>>;
  }

  #renewAt(expiration: string | undefined): number {
    if (expiration === undefined) return Number.POSITIVE_INFINITY;
    const expires = Date.parse(expiration);
    if (Number.isNaN(expires)) throw this.#fault('answered an expirationTimestamp that is no time');
    const life = expires - this.#options.environment.clock.now();
    return expires - Math.min(EARLY_MS, Math.max(life, 0) / 10);
  }

  #hint(): string {
    const { installHint } = this.#options.exec;
    return installHint === undefined ? '; is it installed and in PATH?' : `\n\n${installHint}`;
  }

  #fault(what: string, cause?: unknown): ConfigError {
    return new ConfigError('KW2203', `credential plugin ${JSON.stringify(this.#options.exec.command)} ${what}`, {
      cause,
    });
  }
}

function errorCode(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'error';
}
