import { checkQualifiedName } from '@kubewright/apimachinery';
import { goJson } from '../go-json.ts';
import type { HookRequest } from './hook-call.ts';

/** Adds a webhook's own annotations to the audit event. Annotations with invalid names are skipped. */
export function annotateResponse({ attributes, hook }: HookRequest, given: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(given)) {
    const key = `${hook.name}/${name}`;
    if (!name.includes('/') && checkQualifiedName(key).length === 0) attributes.annotate?.(key, value);
  }
}

/** Records that a webhook failed and its failure policy allowed the request. */
export function annotateFailedOpen(question: HookRequest): void {
  const kind = question.mutating ? 'mutation.webhook' : 'validating.webhook';
  question.attributes.annotate?.(`failed-open.${kind}.admission.k8s.io/${place(question)}`, question.hook.name);
}

/** Records that a mutating webhook was called, and whether it changed the object. */
export function annotateMutation(question: HookRequest, mutated: boolean): void {
  const { attributes, configuration, hook } = question;
  const value = goJson({ configuration, webhook: hook.name, mutated });
  attributes.annotate?.(`mutation.webhook.admission.k8s.io/${place(question)}`, value);
}

/** Records the patch of a mutating webhook, in audit events of level Request and above. */
export function annotatePatch(question: HookRequest, operations: readonly unknown[]): void {
  const { attributes, configuration, hook } = question;
  const patch = operations.map((operation) => Object.fromEntries(Object.entries(operation as object).sort(byKey)));
  const value = goJson({ configuration, webhook: hook.name, patch, patchType: 'JSONPatch' });
  attributes.annotate?.(`patch.webhook.admission.k8s.io/${place(question)}`, value, { level: 'Request' });
}

function place({ round, index }: HookRequest): string {
  return `round_${round}_index_${index}`;
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
