import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { startCluster } from '../../cluster/start-cluster.ts';
import { StateFolder } from '../../cluster/state-folder.ts';
import type { Context } from '../../program/context.ts';
import type { Project } from '../../project/find-project.ts';
import { applyObjects } from '../../target/apply-objects.ts';
import { DevWebhooks } from '../../webhooks/dev-webhooks.ts';
import { loopback } from '../../webhooks/webhook-address.ts';
import { LocalApiServer } from './local-api-server.ts';

/** The service account that the operator authenticates as. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The cluster in which an operator is developed. */
export interface DevCluster {
  /** A client that is authorized for everything `dev` does. */
  readonly client: KubernetesClient;
  readonly server: string;
  /** The kubeconfig for kubectl; undefined if the user's default already selects this cluster. */
  readonly kubeconfig: string | undefined;
  /** Flags for the operator in this cluster. */
  readonly flags: readonly string[];
  /** Environment variables for the operator in this cluster. */
  readonly variables: Readonly<Record<string, string>>;
  /** Applies objects in order. */
  apply(objects: readonly UnstructuredObject[]): Promise<void>;
  /** Removes webhook configurations that are not among the given objects. */
  keepOnly(objects: readonly UnstructuredObject[]): Promise<void>;
  /** Records why the operator is down; undefined means that it is starting. */
  operatorIsDown(why: string | undefined): void;
  /** Returns the path of a kubeconfig that authenticates as the account. */
  logInAs(account: Account): Promise<string>;
  /** Removes the objects that need the operator's cleanup, while the operator is still running. */
  beforeStop(): Promise<void>;
  /** Removes everything else. */
  stop(): Promise<void>;
}

/** Settings of the embedded cluster. */
export interface EmbeddedSettings {
  readonly port?: number | undefined;
  readonly nodes?: number | undefined;
  readonly driver?: 'process' | 'container' | 'simulated' | undefined;
}

/** Starts a project's embedded cluster for development. */
export async function embeddedDevCluster(
  { environment, reporter }: Context,
  { project, settings }: { readonly project: Project; readonly settings: EmbeddedSettings },
): Promise<DevCluster> {
  const folder = new StateFolder(project.root);
  const cluster = await startCluster(environment, { folder, settings });
  if (cluster.takenPort !== undefined) reporter.step('port in use', `${cluster.takenPort}; using another port`, 'bad');
  const client = cluster.client();
  const webhooks = await DevWebhooks.start(environment, { project, client }).catch(async (error: unknown) => {
    await cluster.stop();
    throw error;
  });
  const apiServer = await LocalApiServer.create(environment, { project, host: loopback.host, except: webhooks.port });
  return {
    client,
    flags: webhooks.flags,
    variables: apiServer.variables,
    keepOnly: (objects) => webhooks.keepOnly(objects),
    operatorIsDown: (why) => webhooks.operatorIsDown(why),
    server: cluster.url,
    kubeconfig: cluster.kubeconfig,
    apply: (objects) => {
      const local = webhooks.local(objects).map((object) => apiServer.local(object));
      return applyObjects({ client, environment }, [...local, ...apiServer.servicesFor(objects)]);
    },
    logInAs: (account) => cluster.logInAs(account),
    beforeStop: () => Promise.resolve(),
    stop: async () => {
      try {
        apiServer[Symbol.dispose]();
        await webhooks[Symbol.asyncDispose]();
        await cluster.stop();
      } finally {
        folder.forget();
      }
    },
  };
}
