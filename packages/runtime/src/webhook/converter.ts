import { apiVersionOf, type Kind, type KubernetesObject, type ObjectMeta } from '@kubewright/apimachinery';
import type { ConversionSteps, ConversionWebhook } from './webhook-definition.ts';
import { WebhookError } from './webhook-error.ts';

/**
 * The result of a conversion: the fields of the other version. Type and metadata are kept; if the function returns `metadata`, only
 * labels and annotations change, as the API requires.
 */
export type Converted<T> = Omit<T, 'apiVersion' | 'kind' | 'metadata'> & { readonly metadata?: ObjectMeta };

/**
 * The conversions between a version and the hub. Both must be lossless: store in annotations any fields that the other
 * version lacks.
 */
export interface SpokeConversions<Spoke, Hub> {
  toHub(object: Spoke): Converted<Hub> | Promise<Converted<Hub>>;
  fromHub(object: Hub): Converted<Spoke> | Promise<Converted<Spoke>>;
}

/**
 * One version of a kind with its conversions to and from the hub; created by {@link spoke}.
 *
 * @example
 * ```ts
 * const v1beta1: Spoke<PostgresqlV1> = spoke(PostgresqlV1beta1, {
 *   toHub: (old) => ({ spec: { instances: old.spec.replicas } }),
 *   fromHub: (pg) => ({ spec: { replicas: pg.spec.instances } }),
 * });
 * const conversion = converter(PostgresqlV1, [v1beta1]);
 * ```
 */
export interface Spoke<Hub extends KubernetesObject> {
  readonly version: Kind<KubernetesObject>;
  /** Carries the hub's type; never present at run time. */
  readonly __hub?: (hub: Hub) => void;
  readonly steps: ConversionSteps;
}

/** Declares a version that is converted through the hub; see {@link converter}. */
export function spoke<S extends KubernetesObject, Hub extends KubernetesObject>(
  version: Kind<S>,
  conversions: SpokeConversions<S, Hub>,
): Spoke<Hub> {
  // The request's type information selects the function, so each function gets only objects of its version.
  const toHub = conversions.toHub.bind(conversions) as unknown as ConversionSteps['toHub'];
  const fromHub = conversions.fromHub.bind(conversions) as unknown as ConversionSteps['fromHub'];
  return { version, steps: { toHub, fromHub } };
}

/**
 * Declares the conversion between versions of one kind: one is the hub, the others are spokes. The manager serves it at
 * `/convert`; the CRD's `spec.conversion` must reference the webhook (`ownAuthority` sets it for its own certificates).
 *
 * @example
 * ```ts
 * converter(PostgresqlV1, [
 *   spoke(PostgresqlV1beta1, {
 *     toHub: (old) => ({ spec: { instances: old.spec.replicas } }),
 *     fromHub: (pg) => ({ spec: { replicas: pg.spec.instances } }),
 *   }),
 * ]);
 * ```
 * @throws WebhookError (KW3031) if a spoke is of another kind, or two spokes have the same version.
 */
export function converter<Hub extends KubernetesObject>(
  hub: Kind<Hub>,
  spokes: readonly Spoke<Hub>[],
): ConversionWebhook {
  const { group, kind, plural } = hub;
  const byVersion = new Map<string, ConversionSteps>();
  for (const { version, steps } of spokes) {
    const what = `${version.kind} (${apiVersionOf(version)})`;
    if (version.group !== group || version.kind !== kind)
      throw new WebhookError({
        what: `cannot convert ${what} to ${kind} (${apiVersionOf(hub)})`,
        why: 'the group and kind of the two versions differ',
      });
    if (version.version === hub.version || byVersion.has(version.version))
      throw new WebhookError({
        what: `cannot declare two conversions of ${what}`,
        remedy: 'declare each version once, and the hub separately',
      });
    byVersion.set(version.version, steps);
  }
  return { type: 'conversion', group, kind, plural, hub: hub.version, spokes: byVersion };
}
