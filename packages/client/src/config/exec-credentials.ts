import { exponentialDelay } from '@kubewright/apimachinery/internal';
import type { ClientCredentials, CredentialProvider } from '../transport/credentials.ts';
import { untilAborted } from '../until-aborted.ts';
import type { ConfigEnvironment, SpawnResult } from './config-environment.ts';
import { ConfigError } from './config-error.ts';
import type { ExecEntry } from './kubeconfig.ts';

const versions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const maxOutputBytes = 1 << 20;
const quotedCharacters = 2_000;
/** Timeout of a non-interactive plugin; {@link interactiveTimeoutMs} applies to interactive plugins. */
const defaultTimeoutMs = 60_000;
const interactiveTimeoutMs = 300_000;
/** Time before expiry at which credentials are renewed, or a tenth of their lifetime if that is less. */
const earlyMs = 60_000;
/** First delay after a failed renewal while the credentials are still valid; doubles up to the maximum. */
const pauses = { initialMs: 1_000, maxMs: 30_000 };

/** Options for {@link ExecCredentials}. */
export interface ExecCredentialsOptions {
  readonly exec: ExecEntry;
  /** `spec.cluster` of the plugin's input; sent if the plugin requests it. */
  readonly cluster?: Readonly<Record<string, unknown>> | undefined;
  readonly environment: ConfigEnvironment;
  /** Called if the plugin fails while the previous credentials are still valid and stay in use. */
  readonly onRenewalFailure?: ((error: ConfigError) => void) | undefined;
}

interface Issued {
  readonly credentials: ClientCredentials;
  readonly renewAt: number;
  readonly expiresAt: number;
}

/**
 * Credentials from a plugin (`client.authentication.k8s.io` v1, v1beta1).
 *
 * The plugin first runs when a request needs credentials. It runs again shortly before they expire and after the server
 * has rejected them with 401, at most once at a time. Calls do not wait for a renewal while the credentials are valid;
 * a failed renewal is retried with backoff.
 */
export class ExecCredentials implements CredentialProvider {
  readonly #options: ExecCredentialsOptions;
  #current: Issued | undefined;
  #running: Promise<ClientCredentials> | undefined;
  #failures = 0;
  #retryAt = Number.NEGATIVE_INFINITY;

  constructor(options: ExecCredentialsOptions) {
    this.#options = options;
  }

  get(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<ClientCredentials> {
    const current = this.#current;
    const { clock } = this.#options.environment;
    const now = clock.now();
    if (!current || now >= current.expiresAt) return untilAborted(this.#renew(), options.signal);
    if (now >= current.renewAt && clock.monotonic() >= this.#retryAt) this.#renewEarly();
    return Promise.resolve(current.credentials);
  }

  reject(credentials: ClientCredentials): boolean {
    if (this.#current?.credentials === credentials) this.#current = undefined;
    return true;
  }

  #renew(): Promise<ClientCredentials> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  #renewEarly(): void {
    if (this.#running) return;
    this.#renew().catch((error) => {
      const pauseMs = exponentialDelay(this.#failures++, pauses);
      this.#retryAt = this.#options.environment.clock.monotonic() + pauseMs;
      this.#options.onRenewalFailure?.(error);
    });
  }

  async #run(): Promise<ClientCredentials> {
    const { exec, environment } = this.#options;
    const interactive = this.#interactive();
    const { clock, spawner } = environment;
    const timeoutMs = interactive ? interactiveTimeoutMs : defaultTimeoutMs;
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
        maxOutputBytes,
      });
    } catch (cause) {
      throw this.#error(`cannot be started (${errorCode(cause)})`, { remedy: this.#installHint, cause });
    } finally {
      timer[Symbol.dispose]();
    }
    if (stop.signal.aborted) throw this.#error(`was killed because it did not exit within ${timeoutMs / 1000} s`);
    if (result.exitCode !== 0) {
      const stderr = result.stderr.trim().slice(0, quotedCharacters);
      throw this.#error(`exited with code ${result.exitCode}${stderr === '' ? '' : `: ${stderr}`}`, {
        remedy: result.exitCode === 127 ? this.#installHint : undefined,
      });
    }
    return this.#accept(result.stdout);
  }

  #interactive(): boolean {
    const { exec, environment } = this.#options;
    if (!versions.includes(exec.apiVersion)) {
      throw this.#error(`has the unsupported apiVersion ${JSON.stringify(exec.apiVersion)}`, {
        remedy: `set apiVersion to ${versions.join(' or ')}`,
      });
    }
    if (exec.command === '') throw this.#error('has no command');
    if (exec.interactiveMode === undefined && exec.apiVersion === versions[0]) {
      throw this.#error('has no interactiveMode, which v1 requires', {
        remedy: 'set interactiveMode to Never, IfAvailable or Always',
      });
    }
    if (exec.interactiveMode === 'Always' && !environment.isInteractive) {
      throw this.#error('needs to prompt (interactiveMode: Always), but standard input is not a terminal');
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
      if (typeof value !== 'string') throw this.#error(`returned a status.${name} that is not a string`);
      return value;
    };
    const token = text('token');
    const cert = text('clientCertificateData');
    const key = text('clientKeyData');
    if ((cert === undefined) !== (key === undefined))
      throw this.#error('returned a certificate without a key, or a key without a certificate');
    if (token === undefined && cert === undefined) throw this.#error('returned neither a token nor a certificate');
    const credentials: ClientCredentials = {
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      cert,
      key,
    };
    this.#failures = 0;
    this.#retryAt = Number.NEGATIVE_INFINITY;
    this.#current = { credentials, ...this.#lifeOf(text('expirationTimestamp')) };
    return credentials;
  }

  #statusOf(stdout: string): Readonly<Record<string, unknown>> {
    const { exec } = this.#options;
    let document: { readonly kind?: unknown; readonly apiVersion?: unknown; readonly status?: unknown } | null;
    try {
      document = JSON.parse(stdout);
    } catch {
      // Omits the cause, because it quotes the output, which may contain a token.
      throw this.#error('returned invalid JSON');
    }
    if (document?.kind !== 'ExecCredential') throw this.#error('did not return an ExecCredential');
    if (document.apiVersion !== exec.apiVersion) {
      throw this.#error(`returned apiVersion ${JSON.stringify(document.apiVersion)} instead of ${exec.apiVersion}`);
    }
    if (typeof document.status !== 'object' || document.status === null) throw this.#error('returned no status');
    return document.status as Readonly<Record<string, unknown>>;
  }

  #lifeOf(expiration: string | undefined): Pick<Issued, 'renewAt' | 'expiresAt'> {
    if (expiration === undefined) return { renewAt: Number.POSITIVE_INFINITY, expiresAt: Number.POSITIVE_INFINITY };
    const expiresAt = Date.parse(expiration);
    if (Number.isNaN(expiresAt)) throw this.#error('returned an invalid expirationTimestamp');
    const life = expiresAt - this.#options.environment.clock.now();
    return { renewAt: expiresAt - Math.min(earlyMs, Math.max(life, 0) / 10), expiresAt };
  }

  get #installHint(): string {
    return this.#options.exec.installHint ?? `check that ${this.#options.exec.command} is installed and on the PATH`;
  }

  #error(
    problem: string,
    options: { readonly remedy?: string | undefined; readonly cause?: unknown } = {},
  ): ConfigError {
    const { command } = this.#options.exec;
    const what =
      command === '' ? 'cannot run the credential plugin' : `credential plugin ${JSON.stringify(command)} failed`;
    return new ConfigError('KW2203', { what, why: `it ${problem}`, remedy: options.remedy }, options);
  }
}

function errorCode(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'error';
}
