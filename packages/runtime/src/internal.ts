/**
 * Exports for the other packages of Kubewright. Not part of the public API: it changes without notice, and programs that
 * use Kubewright must not import it.
 *
 * @internal
 * @packageDocumentation
 */
export { SharedInformers } from './cache/shared-informers.ts';
export type { HandlerContext } from './handler/event-handler.ts';
export { reconcileKey } from './testing/reconcile-key.ts';
