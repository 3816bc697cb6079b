import type { KubernetesObject } from '@kubewright/apimachinery';
import type { JsonSchema } from '@kubewright/schema';

/** The parts of a CRD that the server reads (apiextensions/v1). */
export interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: CrdSpec;
  readonly status?: CrdStatus;
}

/** apiextensions/v1 `CustomResourceDefinitionSpec`. */
export interface CrdSpec {
  readonly group: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly names: CrdNames;
  readonly versions: readonly CrdVersion[];
  readonly conversion?: { readonly strategy?: string; readonly webhook?: unknown };
  readonly preserveUnknownFields?: boolean;
}

/** apiextensions/v1 `CustomResourceDefinitionNames`. */
export interface CrdNames {
  readonly plural: string;
  readonly singular?: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** apiextensions/v1 `CustomResourceDefinitionVersion`. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: CrdScale };
  readonly additionalPrinterColumns?: readonly CrdColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

/** apiextensions/v1 `CustomResourceSubresourceScale`. */
export interface CrdScale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** apiextensions/v1 `CustomResourceColumnDefinition`. */
export interface CrdColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** apiextensions/v1 `CustomResourceDefinitionStatus`. */
export interface CrdStatus {
  readonly conditions?: readonly CrdCondition[];
  readonly acceptedNames?: CrdNames;
  readonly storedVersions?: readonly string[];
}

/** apiextensions/v1 `CustomResourceDefinitionCondition`. */
export interface CrdCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Reports whether a condition has status `True`. */
export function hasCondition(crd: CustomResourceDefinition, type: string): boolean {
  return crd.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

/** The finalizer that keeps a CRD until its objects are deleted. */
export const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io';
