import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '@kubewright/apimachinery/internal';
import type { Context } from '../program/context.ts';
import type { ProjectKind } from '../project/find-kinds.ts';
import { versionedName } from '../project/names.ts';
import { converterFile, spokeEntry, spokeImport, type WebhookFile } from '../templates/webhook-files.ts';
import { registerIn } from './register-in.ts';

interface Registering {
  readonly root: string;
  readonly kind: ProjectKind;
  readonly context: Context;
}

/**
 * Adds a webhook to `main.ts`, and the converter of an aggregated kind to the API server. Webhooks of different
 * versions have the same variable name, so the webhooks of later versions are imported under a name that includes the
 * version.
 */
export function registerWebhook({ variable, module, path }: WebhookFile, { root, kind, context }: Registering): void {
  const file = kind.isAggregated ? 'src/apiserver.ts' : 'src/main.ts';
  const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
  const isTaken = new RegExp(`\\b${variable}\\b`).test(text) && !text.includes(`'${module}'`);
  const alias = isTaken ? versionedName(variable, kind.version) : undefined;
  const list = kind.isAggregated ? 'conversions' : 'webhooks';
  registerIn(root, { list, variable, module, ...defined({ alias }) }, context);
  if (readFileSync(join(root, path), 'utf8').includes(`export const ${variable} `)) return;
  context.reporter.step(`check ${path}`, `${file} imports ${variable} from this file, which does not export it`, 'bad');
}

/** Reports what to add to an existing converter. */
export function reportMissingSpokes(
  root: string,
  what: { readonly hub: ProjectKind; readonly spokes: readonly ProjectKind[]; readonly context: Context },
): void {
  const { hub, spokes, context } = what;
  const { path } = converterFile(hub, spokes);
  const text = readFileSync(join(root, path), 'utf8');
  for (const spoke of spokes) {
    if (text.includes(spoke.file)) continue;
    const todo = `${spokeImport(hub, spoke)} and, in the list of the converter:\n${spokeEntry(hub, spoke)}`;
    context.reporter.step(`add to ${path}`, todo, 'bad');
  }
}
