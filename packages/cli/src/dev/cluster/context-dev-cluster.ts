import { hostname } from 'node:os';
import { join } from 'node:path';
import { isNotFound } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { removeObjects } from '../../deploy/remove-objects.ts';
import { CliError } from '../../program/cli-error.ts';
import type { Context } from '../../program/context.ts';
import { failureOf } from '../../program/failure.ts';
import type { Project } from '../../project/find-project.ts';
import { isAdmission, isConverted } from '../../render/webhook-objects.ts';
import { isDelegated } from '../../target/api-services.ts';
import type { Target } from '../../target/apply-objects.ts';
import { ContextWebhooks } from '../../webhooks/context-webhooks.ts';
import { isCertificate } from '../../webhooks/local-objects.ts';
import { reachabilityHint } from '../../webhooks/reachability.ts';
import { loopback } from '../../webhooks/webhook-address.ts';
import { AccountLogin } from './account-login.ts';
import { type ContextName, connectToContext } from './connect-to-context.ts';
import type { DevCluster } from './dev-cluster.ts';
import { DevObjects } from './dev-objects.ts';
import { LocalApiServer } from './local-api-server.ts';

/** The cluster to develop in. */
export interface ContextChoice extends ContextName {
  /**
   * Address or name by which the API server reaches this machine.
   * @defaultValue 127.0.0.1 if the server has a loopback address
   */
  readonly webhookHost?: string | undefined;
  /** False to skip webhooks. @defaultValue true */
  readonly webhooks?: boolean | undefined;
}

/** Connects to the cluster of a context in the default kubeconfig. Objects that `dev` creates there are removed at the end. */
export async function contextDevCluster(
  whole: Context,
  { project, choice }: { readonly project: Project; readonly choice: ContextChoice },
): Promise<DevCluster> {
  const { environment, reporter } = whole;
  const { config, client, isLoopbackServer } = await connectToContext(whole, choice);
  const target: Target = { client, environment };
  await reportRunning(target, { project, reporter });
  const host = choice.webhookHost ?? (isLoopbackServer ? loopback.host : undefined);
  const webhooks =
    choice.webhooks === false || host === undefined
      ? undefined
      : await ContextWebhooks.start(environment, { project, target, host });
  const apiServer =
    host === undefined
      ? undefined
      : await LocalApiServer.create(environment, { project, host, except: webhooks?.port });
  const objects = new DevObjects(target, { owner: `${hostname()}:${project.root}` });
  const logins: AccountLogin[] = [];
  return {
    client,
    server: config.server,
    kubeconfig: undefined,
    flags: webhooks?.flags ?? ['--webhook-port=-1'],
    variables: apiServer?.variables ?? {},
    keepOnly: (wanted) => objects.keepOnly(wanted),
    operatorIsDown: (why) => webhooks?.operatorIsDown(why),
    async apply(all) {
      const needsWebhooks = all.some((each) => isAdmission(each) || isConverted(each));
      if (!apiServer && all.some(isDelegated)) throw noHost(config.server, 'API server of the project');
      if (needsWebhooks && choice.webhooks === false)
        reporter.step('webhooks skipped', 'because of --no-webhooks', 'bad');
      else if (needsWebhooks && !webhooks) throw noHost(config.server, 'webhooks');
      else if (needsWebhooks) await webhooks?.prove();
      for (const object of all.filter((each) => !isCertificate(each) && (webhooks || !isAdmission(each))))
        await objects.apply(apiServer?.local(webhooks?.local(object) ?? object) ?? object, object);
      for (const service of apiServer?.servicesFor(all) ?? []) await objects.apply(service, service);
    },
    async logInAs(account) {
      const folder = join(project.root, '.kubewright', 'dev');
      const login = await AccountLogin.create(target, { account, config, folder });
      logins.push(login);
      return login.kubeconfig;
    },
    async beforeStop() {
      // The operator still runs, so its finalizers are removed only after its cleanup.
      const running = { operator: 'kubewright dev', release: async () => false };
      const options = { context: whole, target: afterAbort(target), project, ...running };
      for (const crd of objects.kinds) await finally_(() => removeObjects(crd, options), reporter);
    },
    async stop() {
      for (const login of logins) login[Symbol.dispose]();
      await finally_(() => objects.leave(afterAbort(target)), reporter);
      await webhooks?.[Symbol.asyncDispose]();
      apiServer?.[Symbol.dispose]();
      await client[Symbol.asyncDispose]();
    },
  };
}

/** Returns a target that works after Ctrl-C, so that created objects can still be removed. */
function afterAbort({ client, environment }: Target): Target {
  return { client, environment: { ...environment, signal: new AbortController().signal } };
}

/** Reports a failure of the cleanup, so that the rest of the cleanup continues. */
async function finally_(work: () => Promise<unknown>, reporter: Context['reporter']): Promise<void> {
  try {
    await work();
  } catch (error) {
    reporter.failure(failureOf(error, { debug: false }).message);
  }
}

/** Warns if the operator is already deployed: two copies of an operator undo each other's work. */
async function reportRunning(
  { client, environment }: Target,
  { project, reporter }: { readonly project: Project; readonly reporter: Context['reporter'] },
): Promise<void> {
  const key = { namespace: `${project.name}-system`, name: `${project.name}-controller-manager` };
  try {
    const { spec } = await client.resource(Deployment).get(key, { signal: environment.signal });
    if ((spec?.replicas ?? 1) === 0) return;
    const remedy = `kubectl -n ${key.namespace} scale deployment ${key.name} --replicas 0`;
    reporter.step(
      'already deployed',
      `Deployment ${key.namespace}/${key.name} handles the same objects; scale it down: ${remedy}`,
      'bad',
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function noHost(server: string, what: string): CliError {
  return new CliError('KW7309', {
    what: `the address at which the API server can reach the ${what} is unknown`,
    why: `the API server ${server} is not local, so it cannot reach 127.0.0.1 of this machine`,
    remedy: reachabilityHint,
  });
}
