import { Buffer } from 'node:buffer';
import { forbidden } from '@kubewright/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin, Storage } from '@kubewright/apiserver';
import { type ReadObject, storagePrefix } from '@kubewright/apiserver/internal';
import { handles } from './handles.ts';
import { rejection } from './rejection.ts';

interface PrioritySpec {
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
}

interface PriorityClass {
  readonly metadata: { readonly name?: string };
  readonly value?: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

const group = 'scheduling.k8s.io';
const resource = 'priorityclasses';
const handlesPods = handles('', 'pods');
const handlesClasses = handles(group, resource);
const systemClasses: ReadonlySet<string> = new Set(['system-node-critical', 'system-cluster-critical']);

/**
 * Sets the priority of new pods from their priority class or the default class, allows only one default class, and protects the
 * system's classes. Mirrors `Priority` admission and the storage of PriorityClasses (1.36).
 */
export function priorityAdmission({
  read,
  storage,
}: {
  readonly read: ReadObject;
  readonly storage: Storage;
}): AdmissionPlugin {
  const defaultClass = defaultClassReader(storage);
  return {
    name: 'Priority',
    handles: (definition) => handlesPods(definition) || handlesClasses(definition),
    async mutate(attributes: AdmissionAttributes): Promise<void> {
      const { definition, subresource, operation, object } = attributes;
      if (!handlesPods(definition) || operation !== 'CREATE' || subresource !== '' || object === undefined) return;
      const spec = object['spec'] as PrioritySpec | undefined;
      if (spec === undefined) return;
      const reject = (message: string) => rejection(attributes, message);
      const found = spec.priorityClassName
        ? ((await read({ group, resource, name: spec.priorityClassName })) as PriorityClass | undefined)
        : await defaultClass();
      if (!found && spec.priorityClassName) {
        throw reject(`no PriorityClass with name ${spec.priorityClassName} was found`);
      }
      if (found?.metadata.name) spec.priorityClassName = found.metadata.name;
      const { value = 0, preemptionPolicy: policy = 'PreemptLowerPriority' } = found ?? {};
      if (spec.priority !== undefined && spec.priority !== value) {
        throw reject(
          `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
        );
      }
      spec.priority = value;
      if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
        throw reject(
          `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
        );
      }
      spec.preemptionPolicy = policy;
    },
    async validate({ definition, subresource, operation, object, name }: AdmissionAttributes): Promise<void> {
      if (!handlesClasses(definition) || subresource !== '') return;
      if (operation === 'DELETE') {
        if (!systemClasses.has(name)) return;
        throw forbidden({ group, resource }, name, 'this is a system priority class and cannot be deleted');
      }
      if ((object as PriorityClass | undefined)?.globalDefault !== true) return;
      const other = (await defaultClass())?.metadata.name;
      if (other === undefined || (operation === 'UPDATE' && other === name)) return;
      const why = `PriorityClass ${other} is already marked as default. Only one default can exist`;
      throw forbidden({ group, resource }, name, why);
    },
  };
}

/**
 * Returns a function that reads the default class. If there are several, the function returns the class with the lowest
 * value. Decodes each stored class once.
 */
function defaultClassReader(storage: Storage): () => Promise<PriorityClass | undefined> {
  const prefix = storagePrefix({ group, resource });
  const decoded = new WeakMap<Uint8Array, PriorityClass>();
  return async () => {
    const { objects } = await storage.list({ prefix });
    let lowest: PriorityClass | undefined;
    for (const { bytes } of objects) {
      // The server stores only PriorityClasses under this prefix.
      const found = decoded.get(bytes) ?? (JSON.parse(Buffer.from(bytes).toString('utf8')) as PriorityClass);
      decoded.set(bytes, found);
      if (found.globalDefault && (found.value ?? 0) < (lowest?.value ?? Number.POSITIVE_INFINITY)) lowest = found;
    }
    return lowest;
  };
}
