import { type Clock, invalid, type KubernetesObject } from '@kubewright/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin, Storage } from '@kubewright/apiserver';
import { type ReadObject, storagePrefix } from '@kubewright/apiserver/internal';
import { rejection } from '../rejection.ts';
import { evaluatePod, formatViolations } from './evaluate-pod.ts';
import { existingPodWarnings } from './existing-pods.ts';
import type { CheckedContainer, CheckedPod, CheckedPodSpec } from './security-check.ts';
import {
  compareLevels,
  formatLevel,
  modeLabel,
  policyOf,
  privilegedPolicy,
  type SecurityPolicy,
} from './security-policy.ts';

/** The users, namespaces and runtime classes that are exempt from pod security. */
export interface PodSecurityExemptions {
  readonly usernames?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly runtimeClasses?: readonly string[];
}

/** Pod security settings, as in kube-apiserver's admission configuration. */
export interface PodSecurityOptions {
  /** The policy of namespaces without labels. @defaultValue everything is allowed */
  readonly defaults?: SecurityPolicy;
  readonly exemptions?: PodSecurityExemptions;
}

/** Pod subresources that cannot change the pod's security settings. */
const ignoredSubresources: ReadonlySet<string> = new Set([
  'exec',
  'attach',
  'binding',
  'eviction',
  'log',
  'portforward',
  'proxy',
  'status',
]);

/** The paths of pod templates. A template only causes a warning, because its pods are checked when they are created. */
const templatePaths: ReadonlyMap<string, readonly string[]> = new Map([
  ['/podtemplates', ['template']],
  ['/replicationcontrollers', ['spec', 'template']],
  ['apps/replicasets', ['spec', 'template']],
  ['apps/deployments', ['spec', 'template']],
  ['apps/statefulsets', ['spec', 'template']],
  ['apps/daemonsets', ['spec', 'template']],
  ['batch/jobs', ['spec', 'template']],
  ['batch/cronjobs', ['spec', 'jobTemplate', 'spec', 'template']],
]);

/** Parts of the API server that this plugin uses. */
interface PodSecurityParts {
  readonly read: ReadObject;
  readonly storage: Storage;
  readonly clock: Clock;
}

/** Rejects pods that violate the security level of their namespace, or warns about them. Mirrors `PodSecurity` (1.36). */
export function podSecurityAdmission(parts: PodSecurityParts, options: PodSecurityOptions = {}): AdmissionPlugin {
  const security = new PodSecurity(parts, options);
  return {
    name: 'PodSecurity',
    handles: ({ group, resource }) => {
      const kind = `${group}/${resource}`;
      return kind === '/pods' || kind === '/namespaces' || templatePaths.has(kind);
    },
    validate: (attributes) => security.validate(attributes),
  };
}

class PodSecurity {
  readonly #read: ReadObject;
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #defaults: SecurityPolicy;
  readonly #exemptions: PodSecurityExemptions;

  constructor({ read, storage, clock }: PodSecurityParts, options: PodSecurityOptions) {
    this.#read = read;
    this.#storage = storage;
    this.#clock = clock;
    this.#defaults = options.defaults ?? privilegedPolicy;
    this.#exemptions = options.exemptions ?? {};
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { definition, operation, subresource, object } = attributes;
    if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return;
    const kind = `${definition.group}/${definition.resource}`;
    if (kind === '/pods') {
      if (!ignoredSubresources.has(subresource)) await this.#validatePod(attributes, object as unknown as CheckedPod);
      return;
    }
    if (subresource !== '') return;
    if (kind === '/namespaces') return this.#validateNamespace(attributes, object);
    const path = templatePaths.get(kind);
    if (path) await this.#warnAboutTemplate(attributes, path);
  }

  async #validatePod(attributes: AdmissionAttributes, pod: CheckedPod): Promise<void> {
    const policy = await this.#policyFor(attributes);
    if (!policy) attributes.annotate?.(`${auditPrefix}enforce-policy`, formatLevel(privilegedPolicy.enforce));
    if (!policy || this.#isExempt(attributes, pod.spec)) return;
    const old = attributes.oldObject as unknown as CheckedPod | undefined;
    if (attributes.operation === 'UPDATE' && old && !changesContainers(pod.spec, old.spec)) return;
    const violations = evaluatePod(pod, policy.enforce);
    attributes.annotate?.(`${auditPrefix}enforce-policy`, formatLevel(policy.enforce));
    auditViolations(pod, { policy, attributes });
    if (violations.length > 0) {
      const level = formatLevel(policy.enforce);
      throw rejection(attributes, `violates PodSecurity "${level}": ${formatViolations(violations)}`);
    }
    warnAbout(pod, { policy, attributes });
  }

  async #warnAboutTemplate(attributes: AdmissionAttributes, path: readonly string[]): Promise<void> {
    const policy = await this.#policyFor(attributes);
    const template = path.reduce(
      (value: unknown, field) => (value as Readonly<Record<string, unknown>> | undefined)?.[field],
      attributes.object,
    ) as CheckedPod | undefined;
    if (!policy || !template?.spec || this.#isExempt(attributes, template.spec)) return;
    auditViolations(template, { policy, attributes });
    warnAbout(template, { policy, attributes });
  }

  /** Returns the policy of the request's namespace; undefined if the policy allows everything. */
  async #policyFor({ namespace }: AdmissionAttributes): Promise<SecurityPolicy | undefined> {
    const found = await this.#read({ group: '', resource: 'namespaces', name: namespace });
    const { policy, faults } = policyOf(found?.metadata.labels, this.#defaults);
    const free = [policy.enforce, policy.audit, policy.warn].every(({ level }) => level === 'privileged');
    return free && faults.length === 0 ? undefined : policy;
  }

  #isExempt({ namespace, user, annotate }: AdmissionAttributes, { runtimeClassName = '' }: CheckedPodSpec): boolean {
    const { usernames = [], namespaces = [], runtimeClasses = [] } = this.#exemptions;
    const reasons = [
      ['namespace', namespaces.includes(namespace)],
      ['user', usernames.includes(user.username)],
      ['runtimeClass', runtimeClasses.includes(runtimeClassName)],
    ] as const;
    const reason = reasons.find(([, applies]) => applies)?.[0];
    if (reason !== undefined) annotate?.(`${auditPrefix}exempt`, reason);
    return reason !== undefined;
  }

  async #validateNamespace(attributes: AdmissionAttributes, object: KubernetesObject): Promise<void> {
    const { operation, oldObject, name: given, warn } = attributes;
    const { labels = {}, name = given } = object.metadata;
    const { policy, faults } = policyOf(labels, this.#defaults);
    const old = operation === 'UPDATE' ? policyOf(oldObject?.metadata.labels, this.#defaults) : undefined;
    if (faults.length > 0 && JSON.stringify(faults) !== JSON.stringify(old?.faults)) {
      throw invalid({ group: '', kind: 'Namespace' }, name, faults);
    }
    if (old) {
      const [now, before] = [policy.enforce, old.policy.enforce];
      const relaxed = now.minor === before.minor && compareLevels(now.level, before.level) <= 0;
      if (now.level === 'privileged' || relaxed) return;
    }
    if ((this.#exemptions.namespaces ?? []).includes(name)) {
      const ignored = ignoredModes(labels, policy);
      if (ignored !== '')
        warn(`namespace "${name}" is exempt from Pod Security, and the policy (${ignored}) will be ignored`);
      return;
    }
    if (!old) return;
    const { objects } = await this.#storage.list({
      prefix: `${storagePrefix({ group: '', resource: 'pods' })}${name}/`,
    });
    const warnings = await existingPodWarnings(objects, {
      namespace: name,
      enforce: policy.enforce,
      exemptRuntimeClasses: this.#exemptions.runtimeClasses ?? [],
      clock: this.#clock,
    });
    for (const text of warnings) warn(text);
  }
}

const auditPrefix = 'pod-security.kubernetes.io/';

function auditViolations(
  pod: CheckedPod,
  { policy, attributes }: { readonly policy: SecurityPolicy; readonly attributes: AdmissionAttributes },
): void {
  if (!attributes.annotate) return;
  const violations = evaluatePod(pod, policy.audit);
  if (violations.length === 0) return;
  const text = `would violate PodSecurity "${formatLevel(policy.audit)}": ${formatViolations(violations)}`;
  attributes.annotate(`${auditPrefix}audit-violations`, text);
}

function warnAbout(
  pod: CheckedPod,
  { policy, attributes }: { readonly policy: SecurityPolicy; readonly attributes: AdmissionAttributes },
): void {
  const violations = evaluatePod(pod, policy.warn);
  if (violations.length === 0) return;
  attributes.warn(`would violate PodSecurity "${formatLevel(policy.warn)}": ${formatViolations(violations)}`);
}

/** Formats the modes that an exempt namespace requests, for the warning that they have no effect. */
function ignoredModes(labels: Readonly<Record<string, string>>, policy: SecurityPolicy): string {
  return (['enforce', 'audit', 'warn'] as const)
    .filter((mode) => policy[mode].level !== 'privileged')
    .filter((mode) => modeLabel(mode) in labels || modeLabel(mode, '-version') in labels)
    .map((mode) => `${mode}=${formatLevel(policy[mode])}`)
    .join(', ');
}

/** True if a pod update changes an image or adds containers. Other updates are not checked. */
function changesContainers(now: CheckedPodSpec, old: CheckedPodSpec): boolean {
  const differ = (list: readonly CheckedContainer[], before: readonly CheckedContainer[]): boolean =>
    list.length !== before.length || list.some(({ image }, index) => image !== before[index]?.image);
  const images = new Map((old.ephemeralContainers ?? []).map(({ name, image }) => [name, image]));
  return (
    differ(now.containers ?? [], old.containers ?? []) ||
    differ(now.initContainers ?? [], old.initContainers ?? []) ||
    (now.ephemeralContainers ?? []).some(({ name, image }) => !images.has(name) || images.get(name) !== image)
  );
}
