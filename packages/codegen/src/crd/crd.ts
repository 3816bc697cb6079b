import type { JsonSchema } from '@kubewright/schema';

/**
 * A CustomResourceDefinition (apiextensions/v1).
 *
 * @example
 * ```ts
 * const versionsOf = ({ spec }: Crd): readonly string[] =>
 *   spec.versions.filter(({ served }) => served).map(({ name }) => name);
 * ```
 */
export interface Crd {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly group: string;
    readonly names: CrdNames;
    readonly scope: 'Namespaced' | 'Cluster';
    readonly conversion?: CrdConversion;
    readonly preserveUnknownFields?: boolean;
    readonly versions: readonly CrdVersion[];
  };
}

/** The conversion between versions of a kind. */
export interface CrdConversion {
  readonly strategy: 'None' | 'Webhook';
  readonly webhook?: {
    readonly clientConfig?: {
      readonly url?: string;
      readonly service?: { readonly namespace: string; readonly name: string; readonly path?: string };
      readonly caBundle?: string;
    };
    readonly conversionReviewVersions: readonly string[];
  };
}

/** The names of a kind. */
export interface CrdNames {
  readonly kind: string;
  readonly listKind?: string;
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** A column of `kubectl get`. */
export interface CrdColumn {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

/** A version of a kind. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: {
    readonly status?: object;
    readonly scale?: {
      readonly specReplicasPath: string;
      readonly statusReplicasPath: string;
      readonly labelSelectorPath?: string;
    };
  };
  readonly additionalPrinterColumns?: readonly CrdColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}
