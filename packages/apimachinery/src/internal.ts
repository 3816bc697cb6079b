/**
 * Exports for the other packages of Kubewright. Not part of the public API: it changes without notice, and programs that
 * use Kubewright must not import it.
 *
 * @internal
 * @packageDocumentation
 */
export { exponentialDelay } from './clock/exponential-delay.ts';
export { formatTime } from './conditions/conditions.ts';
export { formatDuration } from './duration/duration.ts';
export type { ErrorText } from './errors/kubewright-error.ts';
export { deepFreeze } from './freeze/deep-freeze.ts';
export { parseImageReference } from './image/image-reference.ts';
export { defined } from './json/defined.ts';
export { parseExactJson } from './json/exact-json.ts';
export type { JsonObject } from './json/json-object.ts';
export { sameJson } from './json/same-json.ts';
export { stringifyJson } from './json/stringify-json.ts';
export { FieldSet, FieldSetBuilder } from './managed-fields/field-set.ts';
export { PathElement } from './managed-fields/path-element.ts';
export { kindFactory } from './object/kind-factory.ts';
export { pluralOf } from './object/plural.ts';
export { compareResourceVersions } from './object/resource-version.ts';
export type { ComputedMeta, KindMeta } from './object/stored.ts';
export { folderFault } from './text/folder-fault.ts';
export { nearestName } from './text/nearest-name.ts';
export { oneLine } from './text/one-line.ts';
export { quote } from './text/quote.ts';
export { validateAnnotations } from './validation/annotations.ts';
export { tooLongField } from './validation/field-error.ts';
export type { CertificateSubject, KeyPair } from './x509/issue-certificate.ts';
export { SigningRequest } from './x509/signing-request.ts';
export { trustBundle } from './x509/trust-bundle.ts';
