import { StatusError } from '@kubewright/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import type { RuntimeClass, Toleration } from '../../kinds/generated/drafts.ts';
import { semanticEqual } from '../../kinds/validation/check.ts';
import { checkPathSegment } from '../../kinds/validation/names.ts';
import { handles } from './handles.ts';
import { rejection } from './rejection.ts';

interface RuntimeSpec {
  runtimeClassName?: string;
  overhead?: Record<string, string>;
  nodeSelector?: Record<string, string>;
  tolerations?: readonly Toleration[];
}

const mismatch = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const unexpectedOverhead = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

/**
 * Adds the overhead, node selector and tolerations of a new pod's RuntimeClass to the pod. Rejects a pod if its class
 * does not exist, or conflicts with the pod's own settings. Mirrors the plugin `RuntimeClass` (1.36).
 */
export function runtimeClassAdmission(read: ReadObject): AdmissionPlugin {
  const classOf = async (attributes: AdmissionAttributes, name: string): Promise<RuntimeClass> => {
    const faults = checkPathSegment(name);
    if (faults.length > 0) throw unreadableName(name, faults);
    const found = await read({ group: 'node.k8s.io', resource: 'runtimeclasses', name });
    if (found === undefined) throw rejection(attributes, `pod rejected: RuntimeClass "${name}" not found`);
    return found as unknown as RuntimeClass; // this resource has only one kind
  };
  return {
    name: 'RuntimeClass',
    handles: handles('', 'pods'),
    async mutate(attributes) {
      const spec = newPodSpec(attributes);
      if (spec?.runtimeClassName === undefined) return;
      const { overhead, scheduling } = await classOf(attributes, spec.runtimeClassName);
      if (overhead) {
        if (Object.keys(spec.overhead ?? {}).length > 0 && !semanticEqual(overhead.podFixed, spec.overhead))
          throw rejection(attributes, mismatch);
        spec.overhead = { ...overhead.podFixed };
      }
      if (!scheduling) return;
      if (scheduling.nodeSelector)
        spec.nodeSelector = mergeSelectors(attributes, { pod: spec.nodeSelector, ofClass: scheduling.nodeSelector });
      spec.tolerations = mergeTolerations([...(spec.tolerations ?? []), ...(scheduling.tolerations ?? [])]);
    },
    async validate(attributes) {
      const spec = newPodSpec(attributes);
      if (spec === undefined) return;
      const { runtimeClassName: name, overhead: given } = spec;
      const overhead = name === undefined ? undefined : (await classOf(attributes, name)).overhead;
      if (overhead && !semanticEqual(overhead.podFixed, given)) throw rejection(attributes, mismatch);
      if (!overhead && given !== undefined) throw rejection(attributes, unexpectedOverhead);
    },
  };
}

/** Builds the error of upstream's client, which the plugin returns unchanged, for a name that cannot be in a path. */
function unreadableName(name: string, faults: readonly string[]): StatusError {
  const message = `invalid resource name ${JSON.stringify(name)}: [${faults.join(' ')}]`;
  return new StatusError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 });
}

function newPodSpec({ subresource, operation, object }: AdmissionAttributes): RuntimeSpec | undefined {
  return operation === 'CREATE' && subresource === '' ? (object?.['spec'] as RuntimeSpec | undefined) : undefined;
}

function mergeSelectors(
  attributes: AdmissionAttributes,
  { pod = {}, ofClass }: { pod?: Record<string, string> | undefined; ofClass: Record<string, string> },
): Record<string, string> {
  for (const [key, value] of Object.entries(ofClass)) {
    const own = Object.hasOwn(pod, key) ? pod[key] : value;
    if (own === value) continue;
    const where = `runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`;
    throw rejection(attributes, `conflict: ${where}`);
  }
  return { ...pod, ...ofClass };
}

/** Drops tolerations that another toleration covers. Of equal tolerations, the first stays. */
function mergeTolerations(all: readonly Toleration[]): readonly Toleration[] {
  return all.filter(
    (one, index) =>
      !all.some((other, at) => at !== index && includes(other, one) && (at < index || !semanticEqual(other, one))),
  );
}

/** True if `wide` tolerates everything that `narrow` does. */
function includes(wide: Toleration, narrow: Toleration): boolean {
  if (semanticEqual(wide, narrow)) return true;
  const matchesAllKeys = !wide.key && wide.operator === 'Exists';
  if ((wide.key ?? '') !== (narrow.key ?? '') && !matchesAllKeys) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && wide.tolerationSeconds !== undefined) {
    if (narrow.tolerationSeconds === undefined || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  return narrow.operator === 'Equal' && (wide.value ?? '') === (narrow.value ?? '');
}
