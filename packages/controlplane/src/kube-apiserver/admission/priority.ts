import { forbidden } from '@kubewright/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';

interface PrioritySpec {
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
}

/** Resolves a new pod's priority class to its priority (`Priority` admission of 1.36, without a global default). */
export function priorityAdmission(read: ReadObject): AdmissionPlugin {
  return {
    name: 'Priority',
    async mutate({ definition, subresource, operation, object, name }: AdmissionAttributes): Promise<void> {
      if (definition.resource !== 'pods' || definition.group !== '' || subresource !== '') return;
      if (operation !== 'CREATE' || object === undefined) return;
      const spec = object['spec'] as PrioritySpec | undefined;
      if (spec === undefined) return;
      const refuse = (message: string) => forbidden({ group: '', resource: 'pods' }, name, message);
      let value = 0;
      let policy = 'PreemptLowerPriority';
      if (spec.priorityClassName) {
        const found = await read({
          group: 'scheduling.k8s.io',
          resource: 'priorityclasses',
          name: spec.priorityClassName,
        });
        if (!found) throw refuse(`no PriorityClass with name ${spec.priorityClassName} was found`);
        const priorityClass = found as { value?: number; preemptionPolicy?: string };
        value = priorityClass.value ?? 0;
        policy = priorityClass.preemptionPolicy ?? policy;
      }
      if (spec.priority !== undefined && spec.priority !== value) {
        throw refuse(
          `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
        );
      }
      spec.priority = value;
      spec.preemptionPolicy ??= policy;
    },
  };
}
