import { readFile } from 'node:fs/promises';
import { type Clock, sleep } from '@kubewright/apimachinery';
import type { Logger } from '../log/logger.ts';
import { CertificateError } from './certificate-error.ts';

const intervalMs = 10_000;

/**
 * Reads the file of the authority, or authorities, that callers' certificates must be of.
 *
 * @throws CertificateError (KW3030) when it cannot be read, or holds no certificate.
 */
export async function readClientAuthority(path: string): Promise<string> {
  try {
    const text = await readFile(path, 'utf8');
    const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (certificates.length === 0) throw new Error('it holds no certificate in PEM');
    // Loaded with Node's cryptography only when there is a certificate.
    const { X509Certificate } = await import('node:crypto');
    for (const each of certificates) new X509Certificate(each);
    return text;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CertificateError(
      `cannot read the authority of callers in ${path}: ${why}; mount the file that "clientCaFile" names`,
      { cause },
    );
  }
}

/** What {@link followClientAuthority} is told. */
export interface FollowingOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** What the file held when it was read last. */
  readonly current: string;
  readonly onChange: (text: string) => void;
}

/**
 * Reads the file again every ten seconds, as `certificateFiles` does, until the signal is aborted. A file that cannot be used is
 * told in the log; the authority before it stays.
 */
export async function followClientAuthority(path: string, options: FollowingOptions): Promise<void> {
  const { clock, signal, onChange } = options;
  const log = options.log.named('certwatcher').with({ clientCa: path });
  let { current } = options;
  while (!signal.aborted) {
    await sleep(clock, { ms: intervalMs, signal }).catch(() => {
      // Aborted: the next line sees it.
    });
    if (signal.aborted) return;
    try {
      const next = await readClientAuthority(path);
      if (next === current || signal.aborted) continue;
      current = next;
      onChange(next);
      log.info('Updated the authority of callers');
    } catch (error) {
      log.error('failed to read the authority of callers; the one before it stays', { error });
    }
  }
}
