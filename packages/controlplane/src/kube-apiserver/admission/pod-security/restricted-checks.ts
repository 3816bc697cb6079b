import { procMount, seccompFields } from './baseline-checks.ts';
import {
  type CheckedPod,
  containersOf,
  exceptUserNamespaces,
  exceptWindows,
  named,
  type PodCheck,
  plural,
  quoted,
  type SecurityCheck,
  settersOf,
  sortedUnique,
} from './security-check.ts';

const allowedVolumes = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
/** Forbidden volume types in upstream's order. The first type that a volume sets is reported. */
const restrictedVolumes =
  'hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos'.split(
    ' ',
  );

/** The checks that the level `restricted` adds to those of `baseline`, in alphabetical order. */
export const restrictedChecks: readonly SecurityCheck[] = [
  {
    id: 'allowPrivilegeEscalation',
    versions: [
      { sinceMinor: 8, check: privilegeEscalation },
      { sinceMinor: 25, check: exceptWindows(privilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    versions: [
      { sinceMinor: 22, check: capabilities },
      { sinceMinor: 25, check: exceptWindows(capabilities) },
    ],
    replaces: ['capabilities_baseline'],
  },
  { id: 'procMount_restricted', versions: [{ sinceMinor: 35, check: procMount }], replaces: ['procMount'] },
  { id: 'restrictedVolumes', versions: [{ sinceMinor: 0, check: volumes }], replaces: ['hostPathVolumes'] },
  {
    id: 'runAsNonRoot',
    versions: [
      { sinceMinor: 0, check: nonRoot },
      { sinceMinor: 35, check: exceptUserNamespaces(nonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    versions: [
      { sinceMinor: 23, check: notUserZero },
      { sinceMinor: 35, check: exceptUserNamespaces(notUserZero) },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    versions: [
      { sinceMinor: 19, check: seccomp },
      { sinceMinor: 25, check: exceptWindows(seccomp) },
    ],
    replaces: ['seccompProfile_baseline'],
  },
];

function privilegeEscalation(pod: CheckedPod): ReturnType<PodCheck> {
  const bad = containersOf(pod).filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  const who = named(
    'container',
    bad.map(({ name }) => name),
  );
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${who} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function capabilities(pod: CheckedPod): ReturnType<PodCheck> {
  const found = containersOf(pod).map(({ name, securityContext }) => {
    const { add = [], drop = [] } = securityContext?.capabilities ?? {};
    return { name, keeps: !drop.includes('ALL'), adds: add.filter((capability) => capability !== 'NET_BIND_SERVICE') };
  });
  const keeping = found.filter(({ keeps }) => keeps).map(({ name }) => name);
  const adding = found.filter(({ adds }) => adds.length > 0);
  const added = quoted(sortedUnique(adding.flatMap(({ adds }) => adds)));
  const details = [
    ...(keeping.length > 0
      ? [`${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`]
      : []),
    ...(adding.length > 0
      ? [
          `${named(
            'container',
            adding.map(({ name }) => name),
          )} must not include ${added} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

function volumes({ spec }: CheckedPod): ReturnType<PodCheck> {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => volume[type]));
  if (bad.length === 0) return undefined;
  const types = sortedUnique(bad.map((volume) => restrictedVolumes.find((type) => volume[type]) ?? 'unknown'));
  const who = named(
    'volume',
    bad.map(({ name }) => String(name)),
  );
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'restricted volume types',
    detail: `${who} ${verb} ${plural('restricted volume type', types)} ${quoted(types)}`,
  };
}

function nonRoot(pod: CheckedPod): ReturnType<PodCheck> {
  const reason = 'runAsNonRoot != true';
  const { setters } = settersOf(pod, ({ runAsNonRoot }) => (runAsNonRoot === false ? ['false'] : []));
  if (setters.length > 0) {
    return { reason, detail: `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false` };
  }
  if (pod.spec.securityContext?.runAsNonRoot) return undefined;
  const silent = containersOf(pod).filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  const who = named(
    'container',
    silent.map(({ name }) => name),
  );
  return { reason, detail: `pod or ${who} must set securityContext.runAsNonRoot=true` };
}

function notUserZero(pod: CheckedPod): ReturnType<PodCheck> {
  const { setters } = settersOf(pod, ({ runAsUser }) => (runAsUser === 0 ? ['0'] : []));
  if (setters.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` };
}

function seccomp(pod: CheckedPod): ReturnType<PodCheck> {
  const explicit = seccompFields(pod);
  if (explicit || pod.spec.securityContext?.seccompProfile) return explicit;
  const silent = containersOf(pod).filter(({ securityContext }) => !securityContext?.seccompProfile);
  if (silent.length === 0) return undefined;
  const who = named(
    'container',
    silent.map(({ name }) => name),
  );
  const detail = `pod or ${who} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason: 'seccompProfile', detail };
}
