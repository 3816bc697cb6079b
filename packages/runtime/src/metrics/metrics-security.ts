import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { certificateFiles, hasCertificateFiles } from '../certificates/certificate-files.ts';
import type { CertificateSource } from '../certificates/certificate-source.ts';
import { selfSigned } from '../certificates/self-signed.ts';

/** Encryption and access control of `/metrics`. */
export interface MetricsSecurity {
  /**
   * @defaultValue the files in `k8s-metrics-server/serving-certs` below the folder of temporary files if they exist, else a
   * self-signed certificate
   */
  readonly certificates?: CertificateSource;
  /**
   * CA file. Readers must present a certificate issued by this CA, in addition to the token that `authorize` requires.
   * Reread every ten seconds.
   * @defaultValue no client certificate is required
   */
  readonly clientCaFile?: string;
  /** True if readers must present the token of a user that is authorized to `get` `/metrics`. @defaultValue true */
  readonly authorize?: boolean;
}

/** Uses cert-manager's files if they are mounted, otherwise creates a certificate in memory, like controller-runtime. */
export async function defaultMetricsCertificates(): Promise<CertificateSource> {
  const directory = join(tmpdir(), 'k8s-metrics-server', 'serving-certs');
  if (await hasCertificateFiles({ directory })) return certificateFiles({ directory });
  return selfSigned();
}
