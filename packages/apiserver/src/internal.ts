/**
 * Exports for the control plane that are not part of the public API. They change without notice: do not import them in programs
 * that use Kubewright.
 *
 * @internal
 * @packageDocumentation
 */
export { ExpressionChecker } from './admission/expression-checker.ts';
export { type ReadObject, storedObjectReader } from './admission/object-reader.ts';
export { AdmissionWebhooks } from './admission/webhooks/admission-webhooks.ts';
export { Aggregation } from './aggregation/aggregation.ts';
export { asServer } from './as-server.ts';
export { bearerToken } from './authentication/bearer-token.ts';
export { CertificateStore } from './certificates/certificate-store.ts';
export type { SchemaTools } from './crd/compile-version.ts';
export { crdDefinition } from './crd/crd-definition.ts';
export { CrdServing } from './crd/crd-serving.ts';
export { prioritiesOf } from './discovery/priorities.ts';
export { hijacked } from './http/api-request.ts';
export type { HttpLimits } from './http/limits.ts';
export { ServerMetrics } from './metrics/metrics-handler.ts';
export { Pacer } from './registry/pacer.ts';
export type { ConnectCall, Conversion, VirtualResource } from './registry/resource-definition.ts';
export { encodeStored } from './registry/served-form.ts';
export { storagePrefix } from './registry/storage-prefix.ts';
export type { StrategyContext } from './registry/strategy.ts';
export { followStorage } from './storage/follow-storage.ts';
export { RevisionMismatchError, type StoredObject } from './storage/storage.ts';
export { ageOf, humanDuration } from './tables/age.ts';
export { HttpsWebhookCaller } from './webhooks/https-webhook-caller.ts';
export type { WebhookCaller } from './webhooks/webhook-caller.ts';
export { WebhookClient } from './webhooks/webhook-client.ts';
