import type { KubernetesObject } from '@kubewright/apimachinery';
import { storagePrefix } from '../registry/storage-prefix.ts';

/** Reference to the Service of the server that serves a group version. */
export interface ApiServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The condition that reports whether an APIService is available. */
export interface AvailableCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** A stored APIService (apiregistration.k8s.io/v1). */
export interface ApiService extends KubernetesObject {
  readonly spec: {
    readonly group?: string;
    readonly version: string;
    /** Absent if this server serves the group version itself. */
    readonly service?: ApiServiceReference;
    /** Base64-encoded PEM. */
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
  };
  readonly status?: { readonly conditions?: readonly AvailableCondition[] };
}

/** An APIService that another server serves. */
export interface RemoteApiService extends ApiService {
  readonly spec: ApiService['spec'] & { readonly group: string; readonly service: ApiServiceReference };
}

/** Storage prefix of APIServices. */
export const apiServicesPrefix: string = storagePrefix({ group: 'apiregistration.k8s.io', resource: 'apiservices' });

/** Reports whether another server serves an APIService. The core group is never delegated. */
export function isRemote(apiService: ApiService): apiService is RemoteApiService {
  const { group, service } = apiService.spec;
  return service !== undefined && group !== undefined && group !== '';
}

/** Returns an APIService's Available condition, or undefined. */
export function availableCondition({ status }: ApiService): AvailableCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Available');
}

/** Returns `apis/<group>/<version>`: the name of a group version in paths and OpenAPI documents. */
export function pathName({ spec }: RemoteApiService): string {
  return `apis/${spec.group}/${spec.version}`;
}
