import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { startCluster } from '../cluster/start-cluster.ts';
import { StateFolder } from '../cluster/state-folder.ts';
import { applyObjects } from '../deploy/apply-objects.ts';
import type { Context } from '../program/context.ts';
import type { Project } from '../project/find-project.ts';
import { DevWebhooks } from './webhooks/dev-webhooks.ts';

/** A service account, by which the operator is known to the server. */
export interface Account {
  readonly namespace: string;
  readonly name: string;
}

/** The cluster in which an operator is developed. */
export interface DevPlace {
  /** May do everything that `dev` does. */
  readonly client: KubernetesClient;
  readonly server: string;
  /** What kubectl is to be given; nothing where it is what the user has already. */
  readonly kubeconfig: string | undefined;
  /** Flags that the operator is started with here. */
  readonly flags: readonly string[];
  /** Applies objects in order. */
  apply(objects: readonly UnstructuredObject[]): Promise<void>;
  /** Takes away what asks for webhooks that are not among all that there is to apply. */
  keepOnly(objects: readonly UnstructuredObject[]): Promise<void>;
  /** Takes note of why the operator does not run; nothing: it starts. */
  operatorIsDown(why: string | undefined): void;
  /** Answers the path of a kubeconfig with which a program is that account. */
  logInAs(account: Account): Promise<string>;
  /** Takes away what needs the operator for its clean-up; it still runs. */
  beforeStop(): Promise<void>;
  /** Takes away everything else. */
  stop(): Promise<void>;
}

/** Settings of the embedded cluster. */
export interface EmbeddedSettings {
  readonly port?: number | undefined;
  readonly nodes?: number | undefined;
  readonly driver?: 'process' | 'simulated' | undefined;
}

/** Starts the embedded cluster of a project to develop in. */
export async function embeddedPlace(
  { surroundings, reporter }: Context,
  { project, settings }: { readonly project: Project; readonly settings: EmbeddedSettings },
): Promise<DevPlace> {
  const folder = new StateFolder(project.root);
  const cluster = await startCluster(surroundings, { folder, settings });
  if (cluster.takenPort !== undefined) reporter.step('port taken', `${cluster.takenPort}; another this time`, 'bad');
  const client = cluster.client();
  const webhooks = await DevWebhooks.start(surroundings, { project, client }).catch(async (error: unknown) => {
    await cluster.stop();
    throw error;
  });
  return {
    client,
    flags: webhooks.flags,
    keepOnly: (objects) => webhooks.keepOnly(objects),
    operatorIsDown: (why) => webhooks.operatorIsDown(why),
    server: cluster.url,
    kubeconfig: cluster.kubeconfig,
    apply: (objects) => applyObjects({ client, surroundings }, webhooks.local(objects)),
    logInAs: (account) => cluster.logInAs(account),
    beforeStop: () => Promise.resolve(),
    stop: async () => {
      try {
        await webhooks[Symbol.asyncDispose]();
        await cluster.stop();
      } finally {
        folder.forget();
      }
    },
  };
}
