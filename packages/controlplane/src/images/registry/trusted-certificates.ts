import { existsSync, readFileSync } from 'node:fs';
import tls from 'node:tls';
import { RegistryError } from './registry-error.ts';

/** Bundles of the system's certificate authorities, in the order in which Go looks for them. */
const systemBundles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/**
 * Returns the certificate authorities that registries are verified with (PEM): the authorities of Node.js, of the system, and of
 * the files in `SSL_CERT_FILE`, `NODE_EXTRA_CA_CERTS` and `caFile`.
 *
 * @throws RegistryError if one of these files cannot be read.
 */
export function trustedCertificates({
  env,
  caFile,
}: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly caFile: string | undefined;
}): readonly string[] {
  const files = [env['SSL_CERT_FILE'], env['NODE_EXTRA_CA_CERTS'], caFile].filter((file) => file);
  return [...tls.rootCertificates, ...systemCertificates(), ...files.map((file = '') => readCertificates(file))];
}

function systemCertificates(): readonly string[] {
  const bundle = systemBundles.find(existsSync);
  if (bundle !== undefined) return [readCertificates(bundle)];
  // Available since Node.js 22.15; needed on Windows and macOS only.
  return 'getCACertificates' in tls ? tls.getCACertificates('system') : [];
}

function readCertificates(file: string): string {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (cause) {
    const why = (cause as Error).message;
    throw new RegistryError({ what: `cannot read the certificates in ${file}`, why }, { cause });
  }
  throw new RegistryError({
    what: `cannot read the certificates in ${file}`,
    why: 'the file contains no PEM certificate',
  });
}
