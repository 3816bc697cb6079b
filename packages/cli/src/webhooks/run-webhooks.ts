import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { clientFromConfig, loadClientConfig } from '@kubewright/client';
import type { Context } from '../program/context.ts';
import { findProject } from '../project/find-project.ts';
import { installObjects } from '../render/install-objects.ts';
import { isAdmission, isConverted } from '../render/webhook-objects.ts';
import { applyObjects } from '../target/apply-objects.ts';
import { DevWebhooks } from './dev-webhooks.ts';

/** The webhooks of an operator started by `run`; disposed when the operator exits. */
export interface RunWebhooks extends AsyncDisposable {
  /** Flags for the operator. */
  readonly flags: readonly string[];
}

/**
 * Connects the embedded cluster to the webhooks of the project in this folder, using the last generated configurations,
 * and returns the operator's flags. Returns undefined for a program other than the project's `src/main.ts` and for
 * projects without webhooks.
 */
export async function runWebhooks(
  { environment }: Context,
  { program, kubeconfig }: { readonly program: string; readonly kubeconfig: string },
): Promise<RunWebhooks | undefined> {
  const { clock, cwd } = environment;
  const project = findProject(cwd);
  if (!project || program !== join(project.root, 'src', 'main.ts')) return undefined;
  if (!existsSync(join(project.root, 'config', 'default', 'kustomization.yaml'))) return undefined;
  const objects = installObjects(project).filter((object) => isAdmission(object) || isConverted(object));
  if (objects.length === 0) return undefined;
  const client = clientFromConfig(await loadClientConfig({ kubeconfig }), { clock });
  let webhooks: DevWebhooks | undefined;
  const stop = async (): Promise<void> => {
    await webhooks?.[Symbol.asyncDispose]();
    await client[Symbol.asyncDispose]();
  };
  try {
    webhooks = await DevWebhooks.start(environment, { project, client });
    await applyObjects({ client, environment }, webhooks.local(objects));
    webhooks.operatorIsDown(undefined);
    return { flags: webhooks.flags, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
