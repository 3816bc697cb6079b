import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNotFound, type UnstructuredObject } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { type ClientConfig, clientFromConfig, loadClientConfig } from '@kubewright/client';
import { stringify } from 'yaml';
import { applyObjects, deleteObjects, isUnknownKind, kindOf, type Target } from '../deploy/apply-objects.ts';
import { isAdmission } from '../deploy/webhook-readiness.ts';
import { environmentOf } from '../doctor/examine.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { failureOf } from '../program/failure.ts';
import type { Project } from '../project/find-project.ts';
import { AccountToken } from './account-token.ts';
import type { Account, DevPlace } from './dev-place.ts';
import { removeCustomObjects } from './left-overs.ts';

/** Names that tools give to contexts of clusters on this machine. */
const localNames = /^(kind-.+|k3d-.+|minikube|docker-desktop|rancher-desktop)$/;

/** Which cluster to develop in. */
export interface ContextChoice {
  readonly context: string;
  /** Name of a context that may be elsewhere. */
  readonly allowContext?: string | undefined;
}

/** Connects to the cluster of a context of the usual kubeconfig; what is not there yet is taken away in the end. */
export async function contextPlace(
  { surroundings, reporter }: Context,
  { project, choice }: { readonly project: Project; readonly choice: ContextChoice },
): Promise<DevPlace> {
  const { clock } = surroundings;
  const { context } = choice;
  const config = await loadClientConfig({ context, environment: environmentOf(surroundings) });
  const isLocal = localNames.test(context) || isLoopback(config.server);
  if (!isLocal && choice.allowContext !== context) throw notLocal(context, config.server);
  const client = clientFromConfig(config, { clock, userAgent: 'kubewright-dev' });
  const target: Target = { client, surroundings };
  const { gitVersion } = await client.discovery.serverVersion({ signal: surroundings.signal });
  reporter.step('context', `${context}: ${config.server}, Kubernetes ${gitVersion}${isLocal ? ', local' : ''}`);
  await tellRunning(target, { project, reporter });
  const made: UnstructuredObject[] = [];
  const logins: AccountLogin[] = [];
  return {
    client,
    server: config.server,
    kubeconfig: undefined,
    // A cluster elsewhere cannot call this machine.
    flags: ['--webhook-port=-1'],
    keepOnly: () => Promise.resolve(),
    operatorIsDown: () => undefined,
    async apply(objects) {
      const asking = objects.filter(isAdmission);
      if (asking.length > 0) reporter.step('webhooks left out', `nobody asks them in ${context}`, 'bad');
      for (const object of objects.filter((each) => !isAdmission(each))) {
        if (!made.some((each) => isSame(each, object)) && !(await isThere(target, object))) made.push(object);
        await applyObjects(target, [object]);
      }
    },
    async logInAs(account) {
      const login = await AccountLogin.create(target, {
        account,
        config,
        folder: join(project.root, '.kubewright', 'dev'),
      });
      logins.push(login);
      return login.kubeconfig;
    },
    async beforeStop() {
      await finally_(() => removeCustomObjects(afterAbort(target), made), reporter);
    },
    async stop() {
      for (const login of logins) login[Symbol.dispose]();
      await finally_(() => deleteObjects(afterAbort(target), made), reporter);
      await client[Symbol.asyncDispose]();
    },
  };
}

/** Ctrl-C ends the loop; what was made must still be taken away. */
function afterAbort({ client, surroundings }: Target): Target {
  return { client, surroundings: { ...surroundings, signal: new AbortController().signal } };
}

/** What cannot be taken away is told; the rest goes on. */
async function finally_(work: () => Promise<unknown>, reporter: Context['reporter']): Promise<void> {
  try {
    await work();
  } catch (error) {
    reporter.failure(failureOf(error, { debug: false }).message);
  }
}

async function isThere({ client, surroundings }: Target, object: UnstructuredObject): Promise<boolean> {
  const { name = '', namespace } = object.metadata ?? {};
  try {
    const resource = client.resource(await kindOf(client, object));
    await resource.get({ name, ...(namespace !== undefined && { namespace }) }, { signal: surroundings.signal });
    return true;
  } catch (error) {
    if (isNotFound(error) || isUnknownKind(error)) return false;
    throw error;
  }
}

function isSame(a: UnstructuredObject, b: UnstructuredObject): boolean {
  return a.kind === b.kind && a.metadata?.name === b.metadata?.name && a.metadata?.namespace === b.metadata?.namespace;
}

/** Two operators of one kind undo each other's work. */
async function tellRunning(
  { client, surroundings }: Target,
  { project, reporter }: { readonly project: Project; readonly reporter: Context['reporter'] },
): Promise<void> {
  const key = { namespace: `${project.name}-system`, name: `${project.name}-controller-manager` };
  try {
    const { spec } = await client.resource(Deployment).get(key, { signal: surroundings.signal });
    if ((spec?.replicas ?? 1) === 0) return;
    const remedy = `kubectl -n ${key.namespace} scale deployment ${key.name} --replicas 0`;
    reporter.step('runs there already', `${key.namespace}/${key.name} works on the same objects: ${remedy}`, 'bad');
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function notLocal(context: string, server: string): CliError {
  return new CliError('KW7308', {
    what: `the operator is not run in ${context}`,
    why: `its server ${server} is not on this machine, and dev changes kinds and roles there`,
    remedy: `if that is what you want: kubewright dev --context ${context} --allow-context ${context}`,
  });
}

/** A kubeconfig with a token of a service account, as files that only the user can read. */
class AccountLogin implements Disposable {
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
      ...(serverName !== undefined && { 'tls-server-name': serverName }),
      ...(config.proxyUrl !== undefined && { 'proxy-url': config.proxyUrl }),
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
