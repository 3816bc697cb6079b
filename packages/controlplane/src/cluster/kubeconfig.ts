import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';

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

/** Quotes every value as JSON does, which is YAML too: a library would cost as much as the rest of the start. */
function kubeconfigText({ server, ca, user, namespace }: KubeconfigOptions): string {
  const base64 = (pem: string): string => Buffer.from(pem, 'utf8').toString('base64');
  const text = JSON.stringify;
  const credentials =
    'tokenFile' in user
      ? [`tokenFile: ${text(user.tokenFile)}`]
      : [`client-certificate-data: ${base64(user.certificate)}`, `client-key-data: ${base64(user.key)}`];
  return `apiVersion: v1
kind: Config
clusters:
  - name: kubewright
    cluster:
      server: ${text(server)}
      certificate-authority-data: ${base64(ca)}
users:
  - name: ${text(user.name)}
    user:
      ${credentials.join('\n      ')}
contexts:
  - name: kubewright
    context:
      cluster: kubewright
      user: ${text(user.name)}${namespace === undefined ? '' : `\n      namespace: ${text(namespace)}`}
current-context: kubewright
`;
}
