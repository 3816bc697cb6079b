export type { AdmissionContext, UpdateContext } from './admission-context.ts';
export {
  type AdmissionOperation,
  type AdmissionRequest,
  type AdmissionResponse,
  type AdmissionUser,
  allowed,
  denied,
  patched,
} from './admission-review.ts';
export { type AdmissionWebhookOptions, admissionWebhook } from './admission-webhook.ts';
export { type AuthenticationWebhookOptions, authenticationWebhook } from './authentication-webhook.ts';
export { type Converted, converter, type Spoke, type SpokeConversions, spoke } from './converter.ts';
export { type DefaulterOptions, defaulter } from './defaulter.ts';
export { type StandaloneWebhooksOptions, standaloneWebhooks } from './standalone-webhooks.ts';
export { UnreachableWebhookError } from './unreachable-webhook-error.ts';
export { type ValidatorOptions, type ValidatorRules, type Verdict, validator } from './validator.ts';
export { type WebhookConfigurationsOptions, webhookConfigurations } from './webhook-configurations.ts';
export type {
  AdmissionWebhook,
  AuthenticationContext,
  AuthenticationWebhook,
  ConversionSteps,
  ConversionWebhook,
  TokenReviewRequest,
  TokenVerdict,
  WebhookDefinition,
  WebhookRegistration,
  WebhookRule,
} from './webhook-definition.ts';
export { WebhookError } from './webhook-error.ts';
export type { WebhookServerOptions } from './webhook-server.ts';
