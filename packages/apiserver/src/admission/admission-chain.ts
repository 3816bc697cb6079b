import type { ResourceDefinition } from '../registry/resource-definition.ts';
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
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #steps = new WeakMap<ResourceDefinition, Steps>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  async mutate(attributes: AdmissionAttributes): Promise<void> {
    const reinvocation = new Reinvocation();
    const { mutating } = this.#stepsFor(attributes.definition);
    for (const plugin of mutating) await plugin.mutate?.(attributes, reinvocation);
    if (!reinvocation.requested) return;
    reinvocation.repeated = true;
    for (const plugin of mutating) await plugin.mutate?.(attributes, reinvocation);
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { validating } = this.#stepsFor(attributes.definition);
    for (const plugin of validating) await plugin.validate?.(attributes);
  }

  /** Selects the plugins once for each resource, because most plugins handle only few resources. */
  #stepsFor(definition: ResourceDefinition): Steps {
    const known = this.#steps.get(definition);
    if (known !== undefined) return known;
    const handling = this.#plugins.filter((plugin) => plugin.handles?.(definition) ?? true);
    const steps = {
      mutating: handling.filter((plugin) => plugin.mutate !== undefined),
      validating: handling.filter((plugin) => plugin.validate !== undefined),
    };
    this.#steps.set(definition, steps);
    return steps;
  }
}

/** The plugins that run for writes of one resource. */
interface Steps {
  readonly mutating: readonly AdmissionPlugin[];
  readonly validating: readonly AdmissionPlugin[];
}
