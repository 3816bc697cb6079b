import type { Clock } from '@kubewright/apimachinery';
import type { ClientCredentials, CredentialProvider } from '../transport/credentials.ts';
import { untilAborted } from '../until-aborted.ts';
import type { ConfigEnvironment } from './config-environment.ts';
import { ConfigError } from './config-error.ts';

/** Interval at which files are reread, in milliseconds: projected tokens and certificates rotate. */
const rereadEveryMs = 60_000;
/** Delay before files that were read in the middle of a rotation are reread, in milliseconds. */
const tornRereadMs = 1_000;

/** A value given inline in the configuration, in a file, or both. */
export interface FileOrValue {
  readonly value?: string | undefined;
  readonly file?: string | undefined;
}

/** Options for {@link FileCredentials}. */
export interface FileCredentialsOptions {
  readonly environment: Pick<ConfigEnvironment, 'readFile' | 'clock'>;
  /** The file takes precedence; the value is used while the file cannot be read, as in client-go. */
  readonly token?: FileOrValue | undefined;
  readonly basic?: string | undefined;
  /** PEM; the value takes precedence. */
  readonly cert?: FileOrValue | undefined;
  readonly key?: FileOrValue | undefined;
  /** Called if the files cannot be used and the previous credentials stay in use. */
  readonly onRenewalFailure?: ((error: ConfigError) => void) | undefined;
}

/**
 * Credentials from values and files. Files are reread at most every 60 s; a token file immediately after a 401 from the
 * server; a certificate that does not match its key after 1 s. The previous credentials stay in use while a file cannot
 * be read, or while the certificate and key do not match because they are being replaced.
 */
export class FileCredentials implements CredentialProvider {
  readonly #options: FileCredentialsOptions;
  readonly #clock: Clock;
  #current: { readonly credentials: ClientCredentials; readonly rereadAt: number } | undefined;
  #reading: Promise<ClientCredentials> | undefined;

  constructor(options: FileCredentialsOptions) {
    this.#options = options;
    this.#clock = options.environment.clock;
  }

  async get(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<ClientCredentials> {
    const { token, cert, key } = this.#options;
    if (this.#current) {
      const fixed = !token?.file && !cert?.file && !key?.file;
      if (fixed || this.#clock.monotonic() < this.#current.rereadAt) return this.#current.credentials;
    }
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return untilAborted(this.#reading, options.signal);
  }

  reject(credentials: ClientCredentials): boolean {
    if (!this.#options.token?.file) return false;
    if (this.#current?.credentials === credentials) {
      this.#current = { credentials, rereadAt: Number.NEGATIVE_INFINITY };
    }
    return true;
  }

  async #read(): Promise<ClientCredentials> {
    const { basic } = this.#options;
    const token = await this.#token();
    const { pair, rereadMs } = await this.#pair();
    const credentials: ClientCredentials = {
      authorization: token ?? (basic === undefined ? undefined : `Basic ${basic}`),
      cert: pair?.cert,
      key: pair?.key,
    };
    this.#current = { credentials, rereadAt: this.#clock.monotonic() + rereadMs };
    return credentials;
  }

  async #token(): Promise<string | undefined> {
    const { token, environment } = this.#options;
    if (!token) return undefined;
    const value = token.value === undefined ? undefined : `Bearer ${token.value}`;
    if (token.file === undefined) return value;
    const previous = this.#current?.credentials.authorization ?? value;
    try {
      const text = (await environment.readFile(token.file)).trim();
      if (text !== '') return `Bearer ${text}`;
      if (previous === undefined)
        throw new ConfigError('KW2202', { what: `cannot use token file ${token.file}`, why: 'the file is empty' });
      this.#report(
        new ConfigError('KW2202', { what: 'cannot renew the token', why: `token file ${token.file} is empty` }),
      );
    } catch (cause) {
      const error = cause instanceof ConfigError ? cause : unreadable(token.file, cause);
      if (previous === undefined) throw error;
      this.#report(error);
    }
    return previous;
  }

  /** Reads certificate and key. Two files cannot be read atomically, so a pair that does not match is reread. */
  async #pair(): Promise<{ readonly pair: KeyPair | undefined; readonly rereadMs: number }> {
    const { cert, key } = this.#options;
    if (!cert || !key) return { pair: undefined, rereadMs: rereadEveryMs };
    const previous = this.#previousPair();
    let matches: boolean | undefined;
    try {
      for (let attempt = 0; attempt < 2; attempt++) {
        const pair = { cert: await this.#pem(cert), key: await this.#pem(key) };
        if (previous?.cert === pair.cert && previous.key === pair.key) return { pair, rereadMs: rereadEveryMs };
        matches = await isPair(pair);
        // If the very first read is not PEM, the TLS handshake reports the error, with OpenSSL's reason.
        if (matches || (matches === undefined && !previous)) return { pair, rereadMs: rereadEveryMs };
      }
    } catch (error) {
      if (!previous || !(error instanceof ConfigError)) throw error;
      this.#report(error);
      return { pair: previous, rereadMs: rereadEveryMs };
    }
    const files = `${cert.file ?? 'the client certificate'} and ${key.file ?? 'the client key'}`;
    const why =
      matches === undefined
        ? 'at least one of them is not a complete PEM file'
        : 'the key does not match the certificate';
    const error = new ConfigError('KW2202', {
      what: `cannot use ${files}`,
      why,
      remedy: 'replace the certificate and the key at the same time',
    });
    if (!previous) throw error;
    this.#report(error);
    return { pair: previous, rereadMs: tornRereadMs };
  }

  #previousPair(): KeyPair | undefined {
    const { cert, key } = this.#current?.credentials ?? {};
    return cert === undefined || key === undefined ? undefined : { cert, key };
  }

  async #pem({ value, file }: FileOrValue): Promise<string> {
    if (value !== undefined || file === undefined) return value ?? '';
    try {
      return await this.#options.environment.readFile(file);
    } catch (cause) {
      throw unreadable(file, cause);
    }
  }

  #report(error: ConfigError): void {
    this.#options.onRenewalFailure?.(error);
  }
}

/** Returns the error for a file named in the configuration. */
export function unreadable(file: string, cause: unknown): ConfigError {
  const code = (cause as { readonly code?: unknown } | null)?.code;
  const known = reasons.get(code);
  const why = known?.why ?? (typeof code === 'string' ? code : undefined);
  return new ConfigError('KW2202', { what: `cannot read ${file}`, why, remedy: known?.remedy(file) }, { cause });
}

interface Reason {
  readonly why: string;
  readonly remedy: (file: string) => string;
}

const permissionDenied: Reason = { why: 'permission denied', remedy: (file) => `run chmod u+r ${file}` };
const reasons: ReadonlyMap<unknown, Reason> = new Map<unknown, Reason>([
  ['EACCES', permissionDenied],
  ['EPERM', permissionDenied],
  ['EISDIR', { why: 'it is a folder, not a file', remedy: () => 'specify a file' }],
  ['ENOENT', { why: 'file not found', remedy: () => 'check the path' }],
]);

/** A client certificate and its private key, in PEM. */
interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** True if the key belongs to the certificate; undefined if either is not PEM. Only the first certificate counts. */
async function isPair({ cert, key }: KeyPair): Promise<boolean | undefined> {
  const { X509Certificate, createPrivateKey } = await import('node:crypto');
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    // The file was read in the middle of a write, or is not PEM.
    return undefined;
  }
}
