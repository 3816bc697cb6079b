/**
 * Exports for the other packages of Kubewright. Not part of the public API: it changes without notice, and programs that
 * use Kubewright must not import it.
 *
 * @internal
 * @packageDocumentation
 */
export { editorSchemas } from './editor/editor-schema.ts';
export type { RbacRule } from './rbac/rule.ts';
