import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KeyPair, sleep } from '@kubewright/apimachinery';
import { CertificateError } from './certificate-error.ts';
import type { CertificateParts, CertificateSource } from './certificate-source.ts';

/** Options of {@link certificateFiles}. */
export interface CertificateFilesOptions {
  /** Where a Secret is mounted. @defaultValue `k8s-webhook-server/serving-certs` in the folder of temporary files */
  readonly directory?: string;
  /** @defaultValue 'tls.crt' */
  readonly certificate?: string;
  /** @defaultValue 'tls.key' */
  readonly key?: string;
  /** How often the files are read, in milliseconds. @defaultValue 10_000 */
  readonly intervalMs?: number;
}

/**
 * Takes the certificate from files and notices when they change, as controller-runtime's certificate watcher (0.25) does;
 * the layout is cert-manager's. Files are read again every ten seconds rather than watched: it works through the symbolic
 * links of a mounted Secret, on every file system, and a certificate is renewed days before its end.
 *
 * A change that cannot be used (half written, key and certificate that do not fit) is told in the log; the pair before it
 * stays until a good one is there.
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
      log.info('Starting certificate poll+watcher', { interval: `${intervalMs / 1000}s` });
      while (!signal.aborted) {
        await sleep(parts.clock, { ms: intervalMs, signal }).catch(() => {
          // Aborted: the loop's condition sees it.
        });
        if (signal.aborted) return;
        try {
          const next = await read(paths, parts);
          if (next.certificate === current.certificate && next.key === current.key) continue;
          current = next;
          parts.publish(next);
          log.info('Updated current TLS certificate');
        } catch (error) {
          log.error('failed read certificate', { error });
        }
      }
    },
  };
}

/** True when both files are there; what they hold is not looked at. */
export async function hasCertificateFiles(options: { readonly directory: string }): Promise<boolean> {
  try {
    await Promise.all(['tls.crt', 'tls.key'].map((name) => readFile(join(options.directory, name))));
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
    const [certificate, key] = await Promise.all([readFile(paths.certificate, 'utf8'), readFile(paths.key, 'utf8')]);
    // Loaded with Node's cryptography only when there is a certificate.
    const { checkKeyPair } = await import('./key-pair.ts');
    checkKeyPair({ certificate, key }, `${paths.certificate} and ${paths.key}`);
    return { certificate, key };
  } catch (error) {
    parts.metrics?.failed();
    if (error instanceof CertificateError) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new CertificateError(
      `cannot read the server's certificate: ${why}; mount the Secret that cert-manager fills, or let the operator make its own with ownAuthority()`,
      { cause: error },
    );
  }
}
