import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubernetesObject } from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import type { TokenRequest } from '@kubewright/apimachinery/authentication/v1';
import { Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { ClusterRole, ClusterRoleBinding, type PolicyRule, Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { jsonLogger, Manager, type ManagerOptions } from '@kubewright/runtime';
import { type Environment, isExisting, startEnvironment } from '../environment/environment.ts';

/** The exit code and output of a kubectl command. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Namespace and service account of the operator. */
export const operatorNamespace = 'shop-system';
const account = { namespace: operatorNamespace, name: 'operator' };

/** Exactly the permissions that the documentation lists for an operator with its own CA and protected metrics. */
const clusterRules: readonly PolicyRule[] = [
  {
    apiGroups: ['admissionregistration.k8s.io'],
    resources: ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    verbs: ['get', 'update'],
  },
  { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'], verbs: ['get', 'update'] },
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];
const namespaceRules: readonly PolicyRule[] = [
  { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create', 'update'] },
];

/**
 * A cluster that listens on a real port, and an operator with minimal permissions. The cluster is embedded or an existing
 * one, as {@link startEnvironment} decides.
 */
export class OperatedCluster implements AsyncDisposable {
  /** A client of the administrator. */
  readonly client: KubernetesClient;
  readonly log: string[] = [];
  readonly #place: Environment;
  readonly #home: string;
  readonly #managers: Manager[] = [];

  private constructor(place: Environment, home: string) {
    this.client = place.client;
    this.#place = place;
    this.#home = home;
  }

  static async start(): Promise<OperatedCluster> {
    const home = mkdtempSync(join(tmpdir(), 'kubewright-webhooks-'));
    const place = await startEnvironment(home);
    const started = new OperatedCluster(place, home);
    await started.#prepareAccount();
    return started;
  }

  /** Returns the path of a kubeconfig for the operator's service account. */
  async kubeconfig(): Promise<string> {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const tokens = this.client.resource(ServiceAccount).subresource('token');
    const { status } = await tokens.create<TokenRequest>(account, body);
    const { server, trust } = await loadClientConfig({ kubeconfig: this.#place.kubeconfig });
    const believed =
      trust.ca === undefined
        ? { 'insecure-skip-tls-verify': true }
        : { 'certificate-authority-data': Buffer.from(trust.ca).toString('base64') };
    const path = join(this.#home, 'operator.kubeconfig');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: { server, ...believed } }],
      users: [{ name: 'u', user: { token: status?.token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
    return path;
  }

  /** Starts an operator with its service account. Disposing the cluster stops the operator. */
  async operate(options: Partial<ManagerOptions>): Promise<Manager> {
    const log = jsonLogger({
      destination: { write: (line) => this.log.push(line) },
    });
    const kubeconfig = await this.kubeconfig();
    const manager = new Manager({ kubeconfig, log, handleSignals: false, watchdog: false, ...options });
    this.#managers.push(manager);
    const failed = manager.run().then(() => Promise.reject(new Error('the operator has ended')));
    await Promise.race([manager.started(), failed]);
    failed.catch(() => {
      // Stopped with the cluster.
    });
    return manager;
  }

  /** Runs kubectl as the administrator. */
  kubectl(args: readonly string[], stdin?: unknown): Promise<Outcome> {
    const env = { PATH: process.env['PATH'], HOME: this.#home, KUBECONFIG: this.#place.kubeconfig };
    return new Promise((resolve) => {
      const child = execFile('kubectl', [...args], { env, encoding: 'utf8' }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
      child.stdin?.end(stdin === undefined ? '' : JSON.stringify(stdin));
    });
  }

  /** Creates a CRD and waits until it is served. */
  async define(definition: CustomResourceDefinition): Promise<void> {
    const definitions = this.client.resource(CustomResourceDefinition);
    await definitions.create(definition);
    const name = definition.metadata.name ?? '';
    await eventually(`${name} is served`, async () => {
      const { status } = await definitions.get({ name });
      return status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#managers.map((manager) => manager[Symbol.asyncDispose]()));
    if (isExisting()) await this.#leaveNothing();
    await this.#place[Symbol.asyncDispose]();
    rmSync(this.#home, { recursive: true, force: true });
  }

  /** Deletes the test's objects, because the next test needs an unchanged cluster. */
  async #leaveNothing(): Promise<void> {
    const own =
      'clusterrole/operator clusterrolebinding/operator clusterrole/metrics-reader clusterrolebinding/metrics-reader';
    const hooks = 'mutatingwebhookconfiguration/shop-mutating validatingwebhookconfiguration/shop-validating';
    const rest = `crd/shops.shop.example.com namespace/${operatorNamespace}`;
    for (const names of [hooks, own, rest])
      await this.kubectl(['delete', '--ignore-not-found', '--wait', ...names.split(' ')]);
    await this.kubectl(['delete', '--ignore-not-found', 'serviceaccount/nobody', 'serviceaccount/prometheus']);
  }

  async #prepareAccount(): Promise<void> {
    const { client } = this;
    const subjects = [{ kind: 'ServiceAccount', ...account }];
    const apiGroup = 'rbac.authorization.k8s.io';
    const [head, inNamespace] = [{ name: 'operator' }, account];
    const of = { apiVersion: 'rbac.authorization.k8s.io/v1' } as const;
    await client.resource(Namespace).create(Namespace({ metadata: { name: operatorNamespace } }));
    await client.resource(ServiceAccount).create(ServiceAccount({ metadata: account }));
    await client.resource(ClusterRole).create({ ...of, kind: 'ClusterRole', metadata: head, rules: clusterRules });
    await client.resource(Role).create({ ...of, kind: 'Role', metadata: inNamespace, rules: namespaceRules });
    await client.resource(ClusterRoleBinding).create({
      ...of,
      kind: 'ClusterRoleBinding',
      metadata: head,
      subjects,
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'operator' },
    });
    await client.resource(RoleBinding).create({
      ...of,
      kind: 'RoleBinding',
      metadata: inNamespace,
      subjects,
      roleRef: { apiGroup, kind: 'Role', name: 'operator' },
    });
  }
}

/** Polls until a condition is true; allows half a minute for a machine under load. */
export async function eventually(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const { setTimeout } = await import('node:timers/promises');
  const end = performance.now() + 30_000;
  while (performance.now() < end) {
    if (await isSo()) return;
    await setTimeout(20);
  }
  throw new Error(`not so within 30 s: ${what}`);
}

/** Returns a Shop manifest. */
export function shop(name: string, spec: object, more: Partial<KubernetesObject> = {}): object {
  return { apiVersion: 'shop.example.com/v1', kind: 'Shop', metadata: { name, namespace: 'default' }, spec, ...more };
}
