import type { KubernetesObject } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { ResourceDefinition } from '../registry/resource-definition.ts';
import type { Draft } from '../registry/strategy.ts';
import type { Reinvocation } from './reinvocation.ts';

/**
 * A request as passed to admission plugins: a write before it is stored, or a connection to a subresource.
 *
 * @example
 * ```ts
 * const isInProduction = ({ namespace, operation }: AdmissionAttributes): boolean =>
 *   namespace === 'prod' && operation !== 'CONNECT';
 * ```
 */
export interface AdmissionAttributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly definition: ResourceDefinition;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** The client's options for the operation: the fields of CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** The object to write; absent on DELETE. Mutating plugins change it in place. */
  readonly object: Draft | undefined;
  readonly oldObject: KubernetesObject | undefined;
  /** Sends a `Warning` header with the response. */
  warn(text: string): void;
  /**
   * Adds an annotation to the request's audit event; with `level`, only if the event has at least that level. Absent if
   * there is no audit log.
   */
  readonly annotate?:
    | ((key: string, value: string, options?: { readonly level?: 'Metadata' | 'Request' }) => void)
    | undefined;
}

/**
 * A step of admission. All `mutate` steps run in order after the object has been decoded and defaulted, and again if a
 * webhook or policy changed it. After the object has been validated, all `validate` steps run.
 *
 * @throws StatusError to reject the request.
 *
 * @example
 * ```ts
 * const teamLabel: AdmissionPlugin = {
 *   name: 'TeamLabel',
 *   async validate({ object, warn }) {
 *     if (object?.metadata.labels?.['team'] === undefined) warn('objects should have the label "team"');
 *   },
 * };
 * ```
 */
export interface AdmissionPlugin {
  readonly name: string;
  /**
   * Returns false for resources whose writes the plugin ignores. Called once for each definition; the default is all
   * resources.
   */
  handles?(definition: ResourceDefinition): boolean;
  mutate?(attributes: AdmissionAttributes, reinvocation: Reinvocation): Promise<void>;
  validate?(attributes: AdmissionAttributes): Promise<void>;
}
