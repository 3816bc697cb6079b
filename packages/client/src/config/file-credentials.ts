import type { Clock } from '@kubewright/apimachinery';
import type { ClientCredentials, CredentialProvider } from '../transport/credentials.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import { ConfigError } from './config-error.ts';

/** Files are read again after this time: projected tokens rotate, and so do certificates. */
const REREAD_MS = 60_000;

/** A value that stands in the configuration or in a file. */
export interface FileOrValue {
  readonly value?: string | undefined;
  readonly file?: string | undefined;
}

/** Options of {@link FileCredentials}. */
export interface FileCredentialsOptions {
  readonly environment: Pick<ConfigEnvironment, 'readFile' | 'clock'>;
  /** The file wins, and the value stands in while it cannot be read, as in client-go. */
  readonly token?: FileOrValue | undefined;
  readonly basic?: string | undefined;
  /** PEM; the value wins. */
  readonly cert?: FileOrValue | undefined;
  readonly key?: FileOrValue | undefined;
}

/**
 * Credentials from values and files. Files are read again at most every 60 s, and a token's file at once when the
 * server answered 401. A file that cannot be read any more leaves the last value in force.
 */
export class FileCredentials implements CredentialProvider {
  readonly #options: FileCredentialsOptions;
  readonly #clock: Clock;
  #current: { readonly credentials: ClientCredentials; readonly at: number } | undefined;
  #reading: Promise<ClientCredentials> | undefined;

  constructor(options: FileCredentialsOptions) {
    this.#options = options;
    this.#clock = options.environment.clock;
  }

  async get(): Promise<ClientCredentials> {
    const { token, cert, key } = this.#options;
    if (this.#current) {
      const fixed = !token?.file && !cert?.file && !key?.file;
      if (fixed || this.#clock.monotonic() - this.#current.at < REREAD_MS) return this.#current.credentials;
    }
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  reject(credentials: ClientCredentials): boolean {
    if (!this.#options.token?.file) return false;
    if (this.#current?.credentials === credentials) {
      this.#current = { credentials, at: Number.NEGATIVE_INFINITY };
    }
    return true;
  }

  async #read(): Promise<ClientCredentials> {
    const last = this.#current?.credentials;
    const { basic } = this.#options;
    const token = await this.#token();
    const credentials: ClientCredentials = {
      authorization: token ?? (basic === undefined ? undefined : `Basic ${basic}`),
      cert: await this.#pem(this.#options.cert, last?.cert),
      key: await this.#pem(this.#options.key, last?.key),
    };
    this.#current = { credentials, at: this.#clock.monotonic() };
    return credentials;
  }

  async #token(): Promise<string | undefined> {
    const { token, environment } = this.#options;
    if (!token) return undefined;
    if (token.file === undefined) return token.value === undefined ? undefined : `Bearer ${token.value}`;
    const last = this.#current?.credentials.authorization;
    try {
      const text = (await environment.readFile(token.file)).trim();
      if (text !== '') return `Bearer ${text}`;
    } catch (cause) {
      if (last === undefined && token.value === undefined) throw unreadable(token.file, cause);
      return last ?? `Bearer ${token.value}`;
    }
    if (last === undefined && token.value === undefined) throw new ConfigError('KW2202', `${token.file}: it is empty`);
    return last ?? `Bearer ${token.value}`;
  }

  async #pem(source: FileOrValue | undefined, last: string | undefined): Promise<string | undefined> {
    if (!source || source.value !== undefined || source.file === undefined) return source?.value;
    try {
      return await this.#options.environment.readFile(source.file);
    } catch (cause) {
      if (last !== undefined) return last;
      throw unreadable(source.file, cause);
    }
  }
}

/** The error for a file that the configuration names. */
export function unreadable(file: string, cause: unknown): ConfigError {
  const code = (cause as { readonly code?: unknown } | null)?.code;
  return new ConfigError('KW2202', `${file}: cannot be read (${typeof code === 'string' ? code : 'error'})`, { cause });
}
