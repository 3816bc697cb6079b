import type { GroupVersionKind, Kind, KubernetesObject } from '@kubewright/apimachinery';
import type { LabelSelector } from '@kubewright/apimachinery/meta/v1';
import type { Logger } from '../log/logger.ts';
import type { AdmissionContext } from './admission-context.ts';
import type { AdmissionOperation, AdmissionRequest, AdmissionResponse, AdmissionUser } from './admission-review.ts';

/** Registration of a webhook with the API server (admissionregistration/v1); used only by {@link webhookConfigurations}. */
export interface WebhookRegistration {
  /** Full name in the configuration. @defaultValue `v<kind>-<version>.kb.io` (`m…` for mutating webhooks) */
  readonly name?: string;
  /** Policy for requests when the webhook cannot be called. @defaultValue 'Fail' */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** @defaultValue 'Equivalent' */
  readonly matchPolicy?: 'Exact' | 'Equivalent';
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
  /** Timeout of a call in seconds, from 1 to 30. @defaultValue the server's default, 10 */
  readonly timeoutSeconds?: number;
  /** @defaultValue 'None' */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /**
   * For mutating webhooks: when to call the webhook again after another webhook changed the object.
   *
   * @defaultValue the server's default, 'Never'
   */
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded';
}

/** Requests that a webhook reviews; used only by {@link webhookConfigurations}. */
export interface WebhookRule {
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** Plural names; `pods/eviction` for a subresource. */
  readonly resources: readonly string[];
  readonly operations: readonly AdmissionOperation[];
  readonly scope?: 'Cluster' | 'Namespaced' | '*';
}

/**
 * A declared admission webhook, served by a manager. Stateless.
 *
 * @example
 * ```ts
 * export const rules: AdmissionWebhook = validator(ConfigMap, {
 *   delete: ({ metadata }) => (metadata.name === 'kube-root-ca.crt' ? 'this config map must exist' : undefined),
 * });
 * ```
 */
export interface AdmissionWebhook {
  readonly type: 'mutating' | 'validating';
  /** URL path. Several webhooks of one type may share a path; they run in order until a webhook denies. */
  readonly path: string;
  /** The webhook's kind, if it handles only one. */
  readonly kind?: GroupVersionKind;
  readonly rules: readonly WebhookRule[];
  readonly registration: WebhookRegistration;
  readonly handle: (request: AdmissionRequest, context: AdmissionContext) => Promise<AdmissionResponse>;
}

/**
 * A declared conversion between the versions of one kind; a manager serves all of them at `/convert`.
 *
 * @example
 * ```ts
 * export const conversion: ConversionWebhook = converter(PostgresqlV1, [spoke(PostgresqlV1beta1, conversions)]);
 * const manager = new Manager({ controllers: [postgresql], webhooks: [conversion] });
 * ```
 */
export interface ConversionWebhook {
  readonly type: 'conversion';
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  /** The version that all other versions are converted to and from. */
  readonly hub: string;
  readonly spokes: ReadonlyMap<string, ConversionSteps>;
}

/** Converts objects of one version to the hub's and back. Inputs and results are whole objects. */
export interface ConversionSteps {
  readonly toHub: (object: KubernetesObject) => KubernetesObject | Promise<KubernetesObject>;
  readonly fromHub: (object: KubernetesObject) => KubernetesObject | Promise<KubernetesObject>;
}

/**
 * A declared webhook that authenticates tokens (`--authentication-token-webhook-config-file` of an API server).
 *
 * @example
 * ```ts
 * export const sessions: AuthenticationWebhook = authenticationWebhook({
 *   path: '/authenticate',
 *   authenticate: async ({ token }) => ({ user: await users.find(token) }),
 * });
 * ```
 */
export interface AuthenticationWebhook {
  readonly type: 'authentication';
  readonly path: string;
  readonly authenticate: (request: TokenReviewRequest, context: AuthenticationContext) => Promise<TokenReviewResult>;
}

/** The request to an {@link AuthenticationWebhook}. */
export interface TokenReviewRequest {
  /** Never log it. */
  readonly token: string;
  /** The audiences that the token should be valid for. */
  readonly audiences: readonly string[];
}

/** Context that an {@link AuthenticationWebhook}'s function gets along with the token. */
export interface AuthenticationContext {
  readonly log: Logger;
  /** Aborted when the API server no longer waits for the response. */
  readonly signal: AbortSignal;
}

/** The user of a token; the token is not authenticated if `user` is missing. */
export interface TokenReviewResult {
  readonly user?: AdmissionUser;
  /** The requested audiences that the token is valid for. */
  readonly audiences?: readonly string[];
  /** Reason why the token is not authenticated, for the API server's log. */
  readonly error?: string;
}

/**
 * A webhook declared by `validator`, `defaulter`, `converter`, `admissionWebhook` or `authenticationWebhook`.
 *
 * @example
 * ```ts
 * const webhooks: readonly WebhookDefinition[] = [defaulter(Website, complete), validator(Website, rules)];
 * const manager = new Manager({ controllers: [websites], webhooks });
 * ```
 */
export type WebhookDefinition = AdmissionWebhook | ConversionWebhook | AuthenticationWebhook;

/** Returns the same path as controller-runtime: `/validate-apps-v1-deployment`, `/mutate--v1-pod`. */
export function webhookPath(prefix: 'mutate' | 'validate', kind: GroupVersionKind): string {
  return `/${prefix}-${kind.group.replaceAll('.', '-')}-${kind.version}-${kind.kind.toLowerCase()}`;
}

/** Returns the rule for all objects of a kind. */
export function ruleFor(kind: Kind<unknown>, operations: readonly AdmissionOperation[]): WebhookRule {
  return { groups: [kind.group], versions: [kind.version], resources: [kind.plural], operations };
}
