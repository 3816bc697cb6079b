import type { KubernetesObject } from '@kubewright/apimachinery';

/** Where the server of a group version answers. */
export interface ApiServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Whether an APIService answers, as its status says it. */
export interface AvailableCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** An APIService as it is stored (apiregistration.k8s.io/v1). */
export interface ApiService extends KubernetesObject {
  readonly spec: {
    readonly group?: string;
    readonly version: string;
    /** Absent where this server answers itself. */
    readonly service?: ApiServiceReference;
    /** Base64 of PEM. */
    readonly caBundle?: string;
    readonly insecureSkipTLSVerify?: boolean;
    readonly groupPriorityMinimum: number;
    readonly versionPriority: number;
  };
  readonly status?: { readonly conditions?: readonly AvailableCondition[] };
}

/** An APIService that another server answers for. */
export interface RemoteApiService extends ApiService {
  readonly spec: ApiService['spec'] & { readonly group: string; readonly service: ApiServiceReference };
}

/** Where APIServices are kept. */
export const API_SERVICES_PREFIX = '/registry/apiregistration.k8s.io/apiservices/';

/** True when another server answers. The core group is never given away. */
export function isRemote(apiService: ApiService): apiService is RemoteApiService {
  const { group, service } = apiService.spec;
  return service !== undefined && group !== undefined && group !== '';
}

/** What the status says of an APIService. */
export function availableCondition({ status }: ApiService): AvailableCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Available');
}

/** `apis/<group>/<version>`: how a group version is called in paths and among OpenAPI documents. */
export function pathName({ spec }: RemoteApiService): string {
  return `apis/${spec.group}/${spec.version}`;
}
