import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';

/** Who logs in, where. */
export interface KubeconfigOptions {
  readonly server: string;
  /** PEM of the authority that the server's certificate comes from. */
  readonly ca: string;
  readonly user: { readonly name: string } & (
    | { readonly certificate: string; readonly key: string }
    | { readonly tokenFile: string }
  );
  /** @defaultValue none */
  readonly namespace?: string;
}

/** Writes a kubeconfig that kubectl and every client library read, for the owner of the file only. */
export function writeKubeconfig(path: string, options: KubeconfigOptions): void {
  writeFileSync(path, kubeconfigText(options), { mode: 0o600 });
}

function kubeconfigText({ server, ca, user, namespace }: KubeconfigOptions): string {
  const base64 = (pem: string): string => Buffer.from(pem, 'utf8').toString('base64');
  const credentials =
    'tokenFile' in user
      ? { tokenFile: user.tokenFile }
      : { 'client-certificate-data': base64(user.certificate), 'client-key-data': base64(user.key) };
  const name = 'kubewright';
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: user.name, user: credentials }],
    contexts: [{ name, context: { cluster: name, user: user.name, ...(namespace && { namespace }) } }],
    'current-context': name,
  });
}
