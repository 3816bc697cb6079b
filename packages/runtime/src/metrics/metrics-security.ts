import type { CertificateSource } from '../certificates/certificate-source.ts';

/** How `/metrics` is guarded. */
export interface MetricsSecurity {
  /**
   * @defaultValue the files in `k8s-metrics-server/serving-certs` below the folder of temporary files if they are there, else
   * a certificate that signs itself
   */
  readonly certificates?: CertificateSource;
  /**
   * File of an authority: readers must show a certificate of it, besides what `authorize` asks. Read again every ten seconds.
   *
   * @defaultValue no certificate is asked for
   */
  readonly clientCaFile?: string;
  /** Whether readers must show a token of a user that may `get` `/metrics`. @defaultValue true */
  readonly authorize?: boolean;
}

/** Takes cert-manager's files where they are mounted, and makes a certificate in memory where not, as upstream does. */
export async function defaultMetricsCertificates(): Promise<CertificateSource> {
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const { certificateFiles, hasCertificateFiles } = await import('../certificates/certificate-files.ts');
  const directory = join(tmpdir(), 'k8s-metrics-server', 'serving-certs');
  if (await hasCertificateFiles({ directory })) return certificateFiles({ directory });
  const { selfSigned } = await import('../certificates/self-signed.ts');
  return selfSigned();
}
