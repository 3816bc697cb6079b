import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import type {
  Container,
  ContainerStatus,
  ContainerUser,
  LinuxContainerUser,
  PodSpec,
  ResourceHealth,
  ResourceStatus,
} from '../generated/drafts.ts';
import { type Check, each, enumOf, fields, present, rule } from '../validation/check.ts';

const maxMessage = 1024;
const maxId = 2_147_483_647;

/** Validates the users and the health of devices in the statuses of containers. */
export function containerStatuses(containers: readonly Container[], os: PodSpec['os']): Check<ContainerStatus[]> {
  return each<ContainerStatus>((status, path) => {
    const container = containers.find(({ name }) => name === status?.name);
    return fields<ContainerStatus>({
      user: containerUser(os),
      allocatedResourcesStatus: each(resourceStatus(container)),
    })(status, path);
  });
}

/** Like {@link containerStatuses}, for ephemeral containers, which have no resources. */
export function ephemeralContainerStatuses(os: PodSpec['os']): Check<ContainerStatus[]> {
  return each(
    fields<ContainerStatus>({
      user: containerUser(os),
      allocatedResourcesStatus: (list, path) =>
        list?.length ? [forbiddenField(path, 'must not be specified in container status')] : [],
    }),
  );
}

const unixId: Check<number> = rule((id) => id >= 0 && id <= maxId, `must be between 0 and ${maxId}, inclusive`);

const linuxUser: Check<LinuxContainerUser> = fields<LinuxContainerUser>({
  uid: unixId,
  gid: unixId,
  supplementalGroups: each(unixId),
});

function containerUser(os: PodSpec['os']): Check<ContainerUser> {
  const system = os?.name ?? 'linux';
  const linux: Check<LinuxContainerUser> =
    system === 'linux' ? linuxUser : (_, path) => [forbiddenField(path, 'cannot be set for a windows pod')];
  return fields<ContainerUser>({ linux: present(linux) });
}

/** Validates the health of a resource, which must be one that the container requests. */
function resourceStatus(container: Container | undefined): Check<ResourceStatus> {
  return (status, path) => {
    if (!status) return [];
    return [
      ...(container ? nameFaults(status.name, { container, path: path.child('name') }) : []),
      ...healthFaults(status.resources ?? [], path.child('resources')),
    ];
  };
}

function nameFaults(
  name: string,
  { container: { resources }, path }: { readonly container: Container; readonly path: FieldPath },
): readonly FieldError[] {
  if (!name.startsWith('claim:')) {
    const isRequested = Object.hasOwn(resources?.requests ?? {}, name);
    return isRequested ? [] : [invalidField(path, name, "must match one of the container's resource requests")];
  }
  const claims = (resources?.claims ?? []).map((one) => `claim:${one.name}${one.request ? `/${one.request}` : ''}`);
  if (claims.includes(name)) return [];
  const detail =
    "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty";
  return [invalidField(path, name, detail)];
}

function healthFaults(list: readonly ResourceHealth[], path: FieldPath): readonly FieldError[] {
  const seen = new Set<string>();
  return list.flatMap(({ resourceID, health, message }, index) => {
    const at = path.index(index);
    const isRepeated = seen.has(resourceID);
    seen.add(resourceID);
    return [
      ...enumOf('Healthy', 'Unhealthy', 'Unknown')(health ?? '', at.child('health')),
      ...(message === '' ? [requiredField(at.child('message'), 'must be non-empty if specified')] : []),
      ...((message ?? '').length > maxMessage ? [tooLongField(at.child('message'), { max: maxMessage })] : []),
      ...(isRepeated ? [duplicateField(at.child('resourceID'), resourceID)] : []),
    ];
  });
}
