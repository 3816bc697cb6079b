import { type FieldError, invalid, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import type { AdmissionContext, UpdateContext } from './admission-context.ts';
import { type AdmissionRequest, type AdmissionResponse, allowed, denied, errored } from './admission-review.ts';
import { reviewedObject } from './reviewed-object.ts';
import { type AdmissionWebhook, ruleFor, type WebhookRegistration, webhookPath } from './webhook-definition.ts';

/**
 * The result of a validator. `undefined` admits; a string denies with the string as message (403 `Forbidden`); field
 * errors deny like the API server's own validation (422 `Invalid`, one cause per error; an empty list admits).
 *
 * @example
 * ```ts
 * function checkReplicas(replicas: number): ValidationResult {
 *   if (replicas > 5) return [invalidField('spec.replicas', replicas, 'at most 5')];
 * }
 * ```
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a rule without a return statement admits
export type ValidationResult = string | readonly FieldError[] | undefined | void;

/** The rules of a kind. Operations without a function are not reviewed. Objects are frozen. */
export interface ValidatorRules<T> {
  create?(object: T, context: AdmissionContext): ValidationResult | Promise<ValidationResult>;
  /** Also called if only metadata changes; not called for changes to `status`. */
  update?(object: T, context: UpdateContext<T>): ValidationResult | Promise<ValidationResult>;
  /** Called with the object to delete. */
  delete?(object: T, context: AdmissionContext): ValidationResult | Promise<ValidationResult>;
}

/** Options for {@link validator}. */
export interface ValidatorOptions extends WebhookRegistration {
  /** @defaultValue `/validate-<group with dashes>-<version>-<kind>` */
  readonly path?: string;
}

/**
 * Declares which objects of a kind may be stored (controller-runtime's `Validator`). Prefer CEL rules in the CRD where
 * they suffice, because they need no server.
 *
 * A rule that throws a `StatusError` denies with this error. Any other error is a bug in the operator: the response has
 * status 500, the error is logged, and `controller_runtime_webhook_panics_total` increases.
 *
 * @example
 * ```ts
 * validator(Postgresql, {
 *   create: (pg) => (pg.spec.instances > 5 ? [invalidField('spec.instances', pg.spec.instances, 'at most 5')] : []),
 *   update: (pg, { old }) => (pg.spec.version < old.spec.version ? 'a downgrade would lose data' : undefined),
 * });
 * ```
 */
export function validator<T extends KubernetesObject>(
  kind: Kind<T>,
  rules: ValidatorRules<T>,
  options: ValidatorOptions = {},
): AdmissionWebhook {
  const { path = webhookPath('validate', kind), ...registration } = options;
  const operations = [
    ...(rules.create ? (['CREATE'] as const) : []),
    ...(rules.update ? (['UPDATE'] as const) : []),
    ...(rules.delete ? (['DELETE'] as const) : []),
  ];
  return {
    type: 'validating',
    path,
    kind,
    rules: [ruleFor(kind, operations)],
    registration,
    handle: (request, context) => validate({ kind, rules }, request, context),
  };
}

async function validate<T extends KubernetesObject>(
  what: { readonly kind: Kind<T>; readonly rules: ValidatorRules<T> },
  request: AdmissionRequest,
  context: AdmissionContext,
): Promise<AdmissionResponse> {
  const { kind, rules } = what;
  const { operation } = request;
  switch (operation) {
    case 'CREATE':
      return judged(request, await rules.create?.(reviewedObject(kind, request.object), context));
    case 'UPDATE': {
      const old = reviewedObject(kind, request.oldObject);
      const updateContext: UpdateContext<T> = Object.create(context, { old: { value: old, enumerable: true } });
      return judged(request, await rules.update?.(reviewedObject(kind, request.object), updateContext));
    }
    case 'DELETE':
      return judged(request, await rules.delete?.(reviewedObject(kind, request.oldObject), context));
    case 'CONNECT':
      return allowed();
    default:
      return errored(400, `unknown operation ${JSON.stringify(operation)}`);
  }
}

function judged(request: AdmissionRequest, verdict: ValidationResult): AdmissionResponse {
  if (verdict === undefined) return allowed();
  if (typeof verdict === 'string') return denied(verdict);
  if (verdict.length === 0) return allowed();
  return { allowed: false, result: invalid(request.kind, request.name ?? '', verdict).status };
}
