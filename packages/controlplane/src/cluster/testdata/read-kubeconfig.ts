import { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** Returns the TLS options of a kubeconfig's first cluster and user. */
export function readKubeconfig(file: string): { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer } {
  const { clusters, users } = parse(readFileSync(file, 'utf8'));
  const pem = (base64: string): Buffer => Buffer.from(base64, 'base64');
  return {
    ca: pem(clusters[0].cluster['certificate-authority-data']),
    cert: pem(users[0].user['client-certificate-data']),
    key: pem(users[0].user['client-key-data']),
  };
}
