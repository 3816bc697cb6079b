import { type FieldError, type FieldPath, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import type { Container, Volume, VolumeDevice, VolumeMount } from '../generated/drafts.ts';
import { type Check, enumOf } from '../validation/check.ts';
import { relativePath } from '../validation/rules.ts';
import { notFound } from './not-found.ts';

/**
 * The valid volumes of a pod, by name. The value is true for volumes that can be block devices. As in upstream, invalid
 * volumes are left out.
 */
export type KnownVolumes = ReadonlyMap<string, boolean>;

/** Indexes the volumes that containers may refer to. */
export function knownVolumes(volumes: readonly Volume[]): KnownVolumes {
  return new Map(
    volumes.map(({ name, persistentVolumeClaim, ephemeral }) => [name, Boolean(persistentVolumeClaim ?? ephemeral)]),
  );
}

/** Validates the mounts of a container: their volumes exist, and no other mount or device uses their paths. */
export function mounts(known: KnownVolumes): Check<Container> {
  return (container, path) => {
    if (!container) return [];
    const list = path.child('volumeMounts');
    const devices = container.volumeDevices ?? [];
    const seen = new Set<string>();
    return (container.volumeMounts ?? []).flatMap((mount, index) => {
      const at = list.index(index);
      const faults = [...nameFaults(mount, { at, known }), ...pathFaults(mount.mountPath, { at, seen })];
      seen.add(mount.mountPath);
      if (devices.some(({ name }) => name === mount.name)) {
        faults.push(invalidField(at.child('name'), mount.name, 'must not already exist in volumeDevices'));
      }
      if (devices.some(({ devicePath }) => devicePath === mount.mountPath)) {
        const detail = 'must not already exist as a path in volumeDevices';
        faults.push(invalidField(at.child('mountPath'), mount.mountPath, detail));
      }
      return [...faults, ...subPathFaults(mount, { at, list }), ...propagationFaults(mount, { container, list })];
    });
  };
}

function nameFaults(
  { name, mountPath }: VolumeMount,
  { at, known }: { readonly at: FieldPath; readonly known: KnownVolumes },
): FieldError[] {
  return [
    ...(name ? [] : [requiredField(at.child('name'))]),
    ...(known.has(name) ? [] : [notFound(at.child('name'), name)]),
    ...(mountPath ? [] : [requiredField(at.child('mountPath'))]),
  ];
}

function pathFaults(path: string, { at, seen }: { readonly at: FieldPath; readonly seen: ReadonlySet<string> }) {
  return seen.has(path) ? [invalidField(at.child('mountPath'), path, 'must be unique')] : [];
}

/** Validates the subpaths of a mount. Like upstream, omits the mount's index from the paths of most errors. */
function subPathFaults(
  { subPath, subPathExpr }: VolumeMount,
  { at, list }: { readonly at: FieldPath; readonly list: FieldPath },
): readonly FieldError[] {
  const faults: FieldError[] = subPath ? [...relativePath(subPath, list.child('subPath'))] : [];
  if (!subPathExpr) return faults;
  if (subPath) {
    faults.push(invalidField(at.child('subPathExpr'), subPathExpr, 'subPathExpr and subPath are mutually exclusive'));
  }
  return [...faults, ...relativePath(subPathExpr, list.child('subPathExpr'))];
}

function propagationFaults(
  mount: VolumeMount,
  { container, list }: { readonly container: Container; readonly list: FieldPath },
): readonly FieldError[] {
  const { mountPropagation, recursiveReadOnly } = mount;
  const faults: FieldError[] = [];
  if (mountPropagation !== undefined) {
    const at = list.child('mountPropagation');
    faults.push(...enumOf('Bidirectional', 'HostToContainer', 'None')(mountPropagation, at));
    if (mountPropagation === 'Bidirectional' && !container.securityContext?.privileged) {
      const detail = 'Bidirectional mount propagation is available only to privileged containers';
      faults.push(forbiddenField(at, detail));
    }
  }
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return faults;
  const at = list.child('recursiveReadOnly');
  const known = enumOf('Disabled', 'Enabled', 'IfPossible')(recursiveReadOnly, at);
  if (known.length > 0) return [...faults, ...known];
  if (!mount.readOnly) faults.push(forbiddenField(at, 'may only be specified when readOnly is true'));
  if (mountPropagation !== undefined && mountPropagation !== 'None') {
    faults.push(forbiddenField(at, 'may only be specified when mountPropagation is None or not specified'));
  }
  return faults;
}

/** Validates the block devices of a container: their volumes are claims, and no other device or mount uses their names and paths. */
export function devices(known: KnownVolumes): Check<Container> {
  return (container, path) => {
    if (!container) return [];
    const names = new Set<string>();
    const paths = new Set<string>();
    return (container.volumeDevices ?? []).flatMap((device, index) => {
      const at = path.child('volumeDevices').index(index);
      const faults = [
        ...deviceName(device, { at: at.child('name'), known, names }),
        ...devicePath(device, { at: at.child('devicePath'), paths }),
        ...mountedToo(device, { at, mounts: container.volumeMounts ?? [] }),
      ];
      if (device.name) names.add(device.name);
      return faults;
    });
  };
}

function deviceName(
  { name }: VolumeDevice,
  { at, known, names }: { readonly at: FieldPath; readonly known: KnownVolumes; readonly names: ReadonlySet<string> },
): readonly FieldError[] {
  const isClaim = known.get(name);
  const onlyClaims = 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
  return [
    ...(name ? [] : [requiredField(at)]),
    ...(names.has(name) ? [invalidField(at, name, 'must be unique')] : []),
    ...(isClaim === false ? [invalidField(at, name, onlyClaims)] : []),
    ...(isClaim === undefined ? [notFound(at, name)] : []),
  ];
}

function devicePath(
  { devicePath: path }: VolumeDevice,
  { at, paths }: { readonly at: FieldPath; readonly paths: Set<string> },
): readonly FieldError[] {
  const faults: FieldError[] = path ? [] : [requiredField(at)];
  if (paths.has(path)) faults.push(invalidField(at, path, 'must be unique'));
  if (path?.split('/').includes('..')) faults.push(invalidField(at, path, "can not contain backsteps ('..')"));
  else paths.add(path);
  return faults;
}

function mountedToo(
  { name, devicePath: path }: VolumeDevice,
  { at, mounts: list }: { readonly at: FieldPath; readonly mounts: readonly VolumeMount[] },
): readonly FieldError[] {
  const detail = 'must not already exist as a path in volumeMounts';
  return [
    ...(list.some((mount) => mount.name === name)
      ? [invalidField(at.child('name'), name, 'must not already exist in volumeMounts')]
      : []),
    ...(list.some(({ mountPath }) => mountPath === path) ? [invalidField(at.child('devicePath'), path, detail)] : []),
  ];
}
