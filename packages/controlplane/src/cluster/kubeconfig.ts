import { Buffer } from 'node:buffer';
import { writeFileSync } from 'node:fs';

/** Options for {@link writeKubeconfig}. */
export interface KubeconfigOptions {
  readonly server: string;
  /** CA certificate that signed the server's certificate, in PEM. */
  readonly ca: string;
  readonly user: { readonly name: string } & (
    | { readonly certificate: string; readonly key: string }
    | { readonly tokenFile: string }
  );
  /** @defaultValue none */
  readonly namespace?: string;
}

/** Writes a kubeconfig for kubectl and client libraries. Only the file's owner can read it. */
export function writeKubeconfig(path: string, options: KubeconfigOptions): void {
  writeFileSync(path, kubeconfigText(options), { mode: 0o600 });
}

/** Formats a kubeconfig. Values are quoted as JSON, which is valid YAML: loading a YAML library would double the startup time. */
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
