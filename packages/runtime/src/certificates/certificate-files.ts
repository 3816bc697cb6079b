import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sleep } from '@kubewright/apimachinery';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import { logEvents } from '../log/log-events.ts';
import { CertificateError } from './certificate-error.ts';
import type { CertificateParts, CertificateSource } from './certificate-source.ts';

/** Options for {@link certificateFiles}. */
export interface CertificateFilesOptions {
  /**
   * Directory where a Secret is mounted.
   *
   * @defaultValue `k8s-webhook-server/serving-certs` in the directory for temporary files
   */
  readonly directory?: string;
  /** @defaultValue 'tls.crt' */
  readonly certificate?: string;
  /** @defaultValue 'tls.key' */
  readonly key?: string;
  /** Interval between reads of the files, in milliseconds. @defaultValue 10_000 */
  readonly intervalMs?: number;
}

/**
 * Reads the certificate from files and picks up changes, like controller-runtime's certificate watcher (0.25); the
 * layout is cert-manager's. Polls every ten seconds instead of watching, because polling works through the symbolic
 * links of a mounted Secret and on every file system. The delay is harmless: certificates are renewed days before they
 * expire.
 *
 * Logs a change that cannot be used (a partial write, or a key that does not match the certificate) and keeps the
 * previous pair until a valid pair appears.
 *
 * @example
 * ```ts
 * const certificates = certificateFiles({ directory: '/tls' });
 * ```
 */
export function certificateFiles(options: CertificateFilesOptions = {}): CertificateSource {
  const { directory = join(tmpdir(), 'k8s-webhook-server', 'serving-certs'), intervalMs = 10_000 } = options;
  const paths = {
    certificate: join(directory, options.certificate ?? 'tls.crt'),
    key: join(directory, options.key ?? 'tls.key'),
  };
  return {
    async run(parts, signal) {
      const log = parts.log.named('certwatcher').with({ cert: paths.certificate, key: paths.key });
      let current = await read(paths, parts);
      parts.publish(current);
      log.info('Starting certificate poll+watcher', {
        event: logEvents.certificateWatching,
        interval: `${intervalMs / 1000}s`,
      });
      while (!signal.aborted) {
        await sleep(parts.clock, { ms: intervalMs, signal }).catch(() => {
          // The wait was aborted; the loop's condition checks the signal.
        });
        if (signal.aborted) return;
        try {
          const next = await read(paths, parts);
          if (next.certificate === current.certificate && next.key === current.key) continue;
          current = next;
          parts.publish(next);
          log.info('Updated current TLS certificate', { event: logEvents.certificateUpdated });
        } catch (error) {
          log.error('failed read certificate', { event: logEvents.certificateFailed, error });
        }
      }
    },
  };
}

async function readText(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises'); // loaded on first use, to start faster
  return readFile(path, 'utf8');
}

/** Reports whether both files exist, without checking their contents. */
export async function hasCertificateFiles(options: { readonly directory: string }): Promise<boolean> {
  try {
    await Promise.all(['tls.crt', 'tls.key'].map((name) => readText(join(options.directory, name))));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function read(
  paths: { readonly certificate: string; readonly key: string },
  parts: CertificateParts,
): Promise<KeyPair> {
  parts.metrics?.read();
  try {
    const [certificate, key] = await Promise.all([readText(paths.certificate), readText(paths.key)]);
    // Loads Node's cryptography only if there is a certificate.
    const { checkKeyPair } = await import('./key-pair.ts');
    checkKeyPair({ certificate, key }, `${paths.certificate} and ${paths.key}`);
    return { certificate, key };
  } catch (error) {
    parts.metrics?.failed();
    if (error instanceof CertificateError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CertificateError(
      {
        what: `cannot read the serving certificate ${paths.certificate} and its key`,
        why,
        remedy:
          'mount the Secret that cert-manager populates, or let the operator create its own certificate with ownAuthority()',
      },
      { cause: error },
    );
  }
}
