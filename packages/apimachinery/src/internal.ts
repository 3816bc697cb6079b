/**
 * What the other packages of Kubewright need of this one. Not part of the public API: it changes without notice, and programs that
 * use Kubewright must not import it.
 *
 * @internal
 * @packageDocumentation
 */
export type { JsonObject, MutableJsonObject } from './json/json-object.ts';
export { sameJson } from './json/same-json.ts';
export { type FolderFault, folderFault } from './text/folder-fault.ts';
export { nearestName } from './text/nearest-name.ts';
export { oneLine } from './text/one-line.ts';
export { quote } from './text/quote.ts';
export { type CertificateSubject, issueCertificate, type KeyPair, makeKeys } from './x509/issue-certificate.ts';
export { trustBundle } from './x509/trust-bundle.ts';
