import { readFile } from 'node:fs/promises';
import { type Clock, sleep } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { CertificateError } from './certificate-error.ts';

const intervalMs = 10_000;

/**
 * Reads the file of the certificate authorities that may issue callers' certificates.
 *
 * @throws CertificateError (KW3030) when the file cannot be read or contains no certificate.
 */
export async function readClientAuthority(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (certificates.length === 0) throw new Error('the file contains no PEM certificate');
    // Loads Node's cryptography only if there is a certificate.
    const { X509Certificate } = await import('node:crypto');
    for (const each of certificates) new X509Certificate(each);
    return text;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CertificateError(
      {
        what: `cannot read the client CA ${path}`,
        why,
        remedy: 'mount the file that "clientCaFile" specifies',
      },
      { cause },
    );
  }
}

/** Options for {@link followClientAuthority}. */
export interface FollowingOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** Content of the file at the last read. */
  readonly current: string;
  readonly onChange: (text: string) => void;
}

/**
 * Rereads the file every ten seconds, like `certificateFiles`, until the signal is aborted. Logs a file that cannot be used and
 * keeps the previous authority.
 */
export async function followClientAuthority(path: string, options: FollowingOptions): Promise<void> {
  const { clock, signal, onChange } = options;
  const log = options.log.named('certwatcher').with({ clientCa: path });
  let { current } = options;
  while (!signal.aborted) {
    await sleep(clock, { ms: intervalMs, signal }).catch(() => {
      // The wait was aborted; the next line checks the signal.
    });
    if (signal.aborted) return;
    try {
      const next = await readClientAuthority(path);
      if (next === current || signal.aborted) continue;
      current = next;
      onChange(next);
      log.info('Updated the client CA', { event: logEvents.clientAuthorityUpdated });
    } catch (error) {
      log.error('cannot read the client CA; the previous one stays in use', {
        event: logEvents.clientAuthorityFailed,
        error,
      });
    }
  }
}
