import { issueCertificate, sleep } from '@kubewright/apimachinery';
import type { CertificateSource } from './certificate-source.ts';

/** Options for {@link selfSigned}. */
export interface SelfSignedOptions {
  /** @defaultValue ['localhost', '127.0.0.1', '::1'] */
  readonly hosts?: readonly string[];
}

const lifeMs = 365 * 86_400_000;
const backdateMs = 3_600_000;

/**
 * Creates a self-signed certificate in memory. It encrypts but does not prove the server's identity. Suitable for
 * metrics, whose readers authenticate themselves; the API server does not call a webhook that uses this certificate.
 *
 * @example
 * ```ts
 * const certificates = selfSigned({ hosts: ['localhost'] });
 * ```
 */
export function selfSigned(options: SelfSignedOptions = {}): CertificateSource {
  const { hosts = ['localhost', '127.0.0.1', '::1'] } = options;
  return {
    async run({ clock, publish }, signal) {
      const crypto = await import('node:crypto');
      while (!signal.aborted) {
        const nowMs = clock.now();
        publish(
          issueCertificate(
            {
              subject: { commonName: hosts[0] ?? 'localhost' },
              usage: 'server',
              hosts,
              notBeforeMs: nowMs - backdateMs,
              notAfterMs: nowMs + lifeMs,
            },
            crypto,
          ),
        );
        await sleepUntil(clock, { ms: lifeMs / 2, signal });
      }
    },
  };
}

/** Sleeps one day at a time, because timers are limited to about 25 days. */
async function sleepUntil(
  clock: Parameters<typeof sleep>[0],
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
  const end = clock.monotonic() + ms;
  while (!signal.aborted && clock.monotonic() < end)
    await sleep(clock, { ms: Math.min(end - clock.monotonic(), 86_400_000), signal }).catch(() => {
      // The wait was aborted; the loop conditions check the signal.
    });
}
