import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '@kubewright/apimachinery/internal';
import type { ClientConfig } from '@kubewright/client';
import { stringify } from 'yaml';
import type { Target } from '../../target/apply-objects.ts';
import { AccountToken } from './account-token.ts';
import type { Account } from './dev-cluster.ts';

/** A kubeconfig with a service account token, stored in files that only the user can read. */
export class AccountLogin implements Disposable {
  readonly kubeconfig: string;
  readonly #files: readonly string[];
  readonly #token: AccountToken;

  private constructor(parts: { readonly files: readonly string[]; readonly token: AccountToken }) {
    this.kubeconfig = parts.files[0] ?? '';
    this.#files = parts.files;
    this.#token = parts.token;
  }

  static async create(
    target: Target,
    parts: { readonly account: Account; readonly config: ClientConfig; readonly folder: string },
  ): Promise<AccountLogin> {
    const { account, config, folder } = parts;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${account.namespace}.${account.name}`);
    const token = await AccountToken.create(target, { account, file: `${file}.token` });
    const { ca, insecureSkipVerify, serverName } = config.trust;
    const cluster = {
      server: config.server,
      ...(ca !== undefined && { 'certificate-authority-data': Buffer.from(ca).toString('base64') }),
      ...(insecureSkipVerify && { 'insecure-skip-tls-verify': true }),
      ...defined({ 'tls-server-name': serverName, 'proxy-url': config.proxyUrl }),
    };
    const content = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'dev', cluster }],
      users: [{ name: account.name, user: { tokenFile: `${file}.token` } }],
      contexts: [{ name: 'dev', context: { cluster: 'dev', user: account.name, namespace: config.namespace } }],
      'current-context': 'dev',
    };
    writeFileSync(`${file}.kubeconfig`, stringify(content), { mode: 0o600 });
    return new AccountLogin({ files: [`${file}.kubeconfig`, `${file}.token`], token });
  }

  [Symbol.dispose](): void {
    this.#token[Symbol.dispose]();
    for (const file of this.#files) rmSync(file, { force: true });
  }
}
