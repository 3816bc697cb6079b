/**
 * Exports for the other packages of Kubewright. Not part of the public API: it changes without notice, and programs that
 * use Kubewright must not import it.
 *
 * @internal
 * @packageDocumentation
 */
export { ApplyConflictError } from './apply/apply-conflict-error.ts';
export { type ApplyRequest, applyPatch } from './apply/apply-patch.ts';
export { ApplyRequestError } from './apply/apply-request-error.ts';
export { applyTypeOf, type KindType } from './apply/apply-type.ts';
export { checkApplied } from './apply/check-applied.ts';
export { ElementError } from './apply/list-elements.ts';
export type { ManagedFieldsRecord } from './apply/managers.ts';
export type { Ownership } from './apply/ownership.ts';
export { entriesAfterScale, entriesOfScale } from './apply/scale.ts';
export { trackUpdate } from './apply/track-update.ts';
export { builtinSchema } from './builtin/builtin-schema.ts';
export { BuiltinDescriptions } from './builtin/descriptions.ts';
export { builtinDefinitions, type OpenApiOptions } from './builtin/open-api.ts';
export { type BuiltinResource, builtinResources, findBuiltinKind } from './builtin/resources.ts';
export type { UnboundedField } from './cel/cost/sized-type.ts';
export { CelBudgetError } from './cel/errors.ts';
export {
  type AccessDecision,
  type AccessRequest,
  AUTHORIZER_TYPE,
  AuthorizerValue,
  RESOURCE_CHECK_TYPE,
  ResourceCheckValue,
} from './cel/library/authorizer.ts';
export type { Budget } from './cel/program.ts';
export type { RuleProblem } from './cel/rules/rule.ts';
export { DecodeError } from './decode/decode-error.ts';
export { type Decoded, type DecodeOptions, decodeValue } from './decode/decode-value.ts';
export { strictDecodingMessage } from './decode/strict-message.ts';
export { formatYaml } from './json/format-yaml.ts';
export { previewBody } from './json/parsed-body.ts';
export type { SchemaNode } from './node/schema-node.ts';
export type { DocumentedResource } from './openapi/documented-resource.ts';
export { documentParts, groupVersionDocument } from './openapi/group-version-document.ts';
export { decodeProtobuf } from './protobuf/decode.ts';
export { StrategicMergeError } from './strategic-merge/strategic-merge-error.ts';
export { strategicMergePatch } from './strategic-merge/strategic-merge-patch.ts';
export { isKnownFormat } from './structural/formats.ts';
export type { CompilePattern } from './structural/validator.ts';
