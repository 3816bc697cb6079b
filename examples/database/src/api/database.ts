import type { Kind, KubernetesObject } from '@kubewright/apimachinery';

export interface DatabaseSpec {
  readonly name?: string;
  /** @integer */
  readonly port?: number;
  readonly 'storage-size'?: string;
  readonly image?: string;
  /** @integer */
  readonly replicas?: number;
}

export interface Database extends KubernetesObject {
  readonly apiVersion: 'stable.imaginedata.com/v1';
  readonly kind: 'Database';
  readonly spec?: DatabaseSpec;
}

export const Database: Kind<Database> = {
  group: 'stable.imaginedata.com',
  version: 'v1',
  kind: 'Database',
  plural: 'databases',
  scope: 'Namespaced',
};
