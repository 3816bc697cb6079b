import type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';
import { Reinvocation } from './reinvocation.ts';

/**
 * Runs the admission plugins in order: first all mutations, then all validations.
 *
 * When you add plugins, keep upstream's order (1.36): NamespaceLifecycle, LimitRanger, ServiceAccount, PodSecurity, Priority,
 * DefaultTolerationSeconds, DefaultStorageClass, StorageObjectInUseProtection, PersistentVolumeClaimResize, RuntimeClass,
 * certificate plugins, DefaultIngressClass; then MutatingAdmissionPolicy, MutatingWebhook, ValidatingAdmissionPolicy,
 * ValidatingWebhook, ResourceQuota.
 */
export class AdmissionChain {
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#mutating = plugins.filter((plugin) => plugin.mutate !== undefined);
    this.#validating = plugins.filter((plugin) => plugin.validate !== undefined);
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    const reinvocation = new Reinvocation();
    for (const plugin of this.#mutating) await plugin.mutate?.(attributes, reinvocation);
    if (!reinvocation.requested) return;
    reinvocation.repeated = true;
    for (const plugin of this.#mutating) await plugin.mutate?.(attributes, reinvocation);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#validating) await plugin.validate?.(attributes);
  }
}
