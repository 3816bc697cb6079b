import type { KubernetesObject } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import type { Draft } from '../registry/strategy.ts';
import type { Reinvocation } from './reinvocation.ts';

/** A write on its way to storage. */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** What the client said about the operation: the fields of CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** The object to be written; absent on DELETE. Mutating plugins change it in place. */
  readonly object: Draft | undefined;
  readonly oldObject: KubernetesObject | undefined;
  /** Sends a `Warning` header with the answer. */
  warn(text: string): void;
}

/**
 * One step of admission. All `mutate` steps run before defaulting and validation of the object, in order, and once more
 * where a webhook changed something; all `validate` steps after.
 *
 * @throws StatusError to refuse the request.
 */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(attributes: AdmissionAttributes, reinvocation: Reinvocation): Promise<void>;
  validate?(attributes: AdmissionAttributes): Promise<void>;
}
