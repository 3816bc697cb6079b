/** An object that a server accepts. */
export interface MinimalObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; [field: string]: unknown };
  [field: string]: unknown;
}

/** The resource's path below its group version, and the object. */
export declare const minimalObjects: readonly (readonly [resource: string, object: MinimalObject])[];
