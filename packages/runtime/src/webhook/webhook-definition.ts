import type { GroupVersionKind, Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { LabelSelector } from '@kubewright/apimachinery/meta/v1';
import type { Logger } from '../log/logger.ts';
import type { AdmissionContext } from './admission-context.ts';
import type { AdmissionOperation, AdmissionRequest, AdmissionResponse, AdmissionUser } from './admission-review.ts';

/** When the API server asks the webhook (admissionregistration/v1); used by {@link webhookConfigurations} only. */
export interface WebhookRegistration {
  /** Full name in the configuration. @defaultValue `v<kind>-<version>.kb.io` (`m…` for mutating ones) */
  readonly name?: string;
  /** What happens when the webhook cannot be asked. @defaultValue 'Fail' */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** @defaultValue 'Equivalent' */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** From 1 to 30. @defaultValue the server's: 10 */
  readonly timeoutSeconds?: number;
  /** @defaultValue 'None' */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** Of mutating webhooks. @defaultValue the server's: 'Never' */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** Which requests a webhook wants to see; used by {@link webhookConfigurations} only. */
export interface WebhookRule {
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** Plural names; `pods/eviction` for a subresource. */
  readonly resources: readonly string[];
  readonly operations: readonly AdmissionOperation[];
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/** A declared admission webhook; a manager serves it. Holds no state. */
export interface AdmissionWebhook {
  readonly type: 'mutating' | 'validating';
  /** Several of one type may share a path: they are asked in order, until one refuses. */
  readonly path: string;
  /** The kind that it is for, if it is for one. */
  readonly kind?: GroupVersionKind;
  readonly rules: readonly WebhookRule[];
  readonly registration: WebhookRegistration;
  readonly handle: (request: AdmissionRequest, context: AdmissionContext) => Promise<AdmissionResponse>;
}

/** A declared conversion between the versions of one kind; a manager serves all of them under `/convert`. */
export interface ConversionWebhook {
  readonly type: 'conversion';
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The version that every other is converted to and from. */
  readonly hub: string;
  readonly spokes: ReadonlyMap<string, ConversionSteps>;
}

/** How objects of one version become the hub's and come back. What is given and returned are whole objects. */
export interface ConversionSteps {
  readonly toHub: (object: KubernetesObject) => KubernetesObject | Promise<KubernetesObject>;
  readonly fromHub: (object: KubernetesObject) => KubernetesObject | Promise<KubernetesObject>;
}

/** A declared webhook that says whose a token is (`--authentication-token-webhook-config-file` of an API server). */
export interface AuthenticationWebhook {
  readonly type: 'authentication';
  readonly path: string;
  readonly authenticate: (request: TokenReviewRequest, context: AuthenticationContext) => Promise<TokenVerdict>;
}

/** What is asked of an {@link AuthenticationWebhook}. */
export interface TokenReviewRequest {
  /** Never write it to a log. */
  readonly token: string;
  /** Whom the token should be meant for. */
  readonly audiences: readonly string[];
}

/** What an {@link AuthenticationWebhook}'s function is given besides the token. */
export interface AuthenticationContext {
  readonly log: Logger;
  /** Aborted when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** Whose a token is: nobody's, when there is no user. */
export interface TokenVerdict {
  readonly user?: AdmissionUser;
  /** Those of the asked audiences that the token is meant for. */
  readonly audiences?: readonly string[];
  /** Why it is nobody's, for the API server's log. */
  readonly error?: string;
}

/** A webhook as `validator`, `defaulter`, `converter`, `admissionWebhook` or `authenticationWebhook` declare it. */
export type WebhookDefinition = AdmissionWebhook | ConversionWebhook | AuthenticationWebhook;

/** Paths as controller-runtime makes them: `/validate-apps-v1-deployment`, `/mutate--v1-pod`. */
export function webhookPath(prefix: 'mutate' | 'validate', kind: GroupVersionKind): string {
  return `/${prefix}-${kind.group.replaceAll('.', '-')}-${kind.version}-${kind.kind.toLowerCase()}`;
}

/** The rule for all objects of a kind. */
export function ruleFor(kind: Kind<unknown>, operations: readonly AdmissionOperation[]): WebhookRule {
  return { groups: [kind.group], versions: [kind.version], resources: [kind.plural], operations };
}
