/**
 * Exports for the other packages of Kubewright. Not part of the public API: it changes without notice, and programs that
 * use Kubewright must not import it.
 *
 * @internal
 * @packageDocumentation
 */
export { builtinSchema } from './builtin/builtin-schema.ts';
export { BuiltinDescriptions } from './builtin/descriptions.ts';
export { builtinDefinitions } from './builtin/open-api.ts';
export { type BuiltinResource, builtinResources, findBuiltinKind } from './builtin/resources.ts';
export {
  AuthorizerValue,
  ResourceCheckValue,
} from './cel/library/authorizer.ts';
export { policyVariables } from './cel/policy-variables.ts';
export { DecodeError } from './decode/decode-error.ts';
export { type Decoded, decodeValue } from './decode/decode-value.ts';
export { strictDecodingMessage } from './decode/strict-message.ts';
export { formatYaml } from './json/format-yaml.ts';
export { previewBody, setOwn } from './json/parsed-body.ts';
export type { SchemaNode } from './node/schema-node.ts';
export { groupVersionDocument } from './openapi/group-version-document.ts';
export { SwaggerPart } from './openapi/swagger/swagger-part.ts';
export { protobuf } from './protobuf/protobuf.ts';
export { sortedJson } from './structural/field-problem.ts';
export { isKnownFormat } from './structural/formats.ts';
export { deepCopy, isRecord } from './structural/plain-data.ts';
