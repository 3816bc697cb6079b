import { FieldPath, invalidField } from '@kubewright/apimachinery';
import type {
  DeviceClass,
  ResourceClaimTemplate,
  ResourceSlice,
  Resourcev1ResourceClaim,
} from '../generated/drafts.ts';
import { csiDriverName } from '../storage/csi-validation.ts';
import { each, fields, immutable, present, rule } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { dnsSubdomain } from '../validation/rules.ts';
import { templateMetadata } from '../validation/template-metadata.ts';
import { claimStatusFaults } from './claim-status-validation.ts';
import { deviceClaim, deviceConfiguration, deviceSelectors } from './device-claim-validation.ts';
import { poolName, sliceNodes, sliceScopeFaults } from './resource-slice-validation.ts';
import { counterSets, sliceDevices } from './slice-device-validation.ts';

const specPath = FieldPath.of('spec');
const extendedResource =
  /^(?!requests\.)(?!([^/]*\.)?kubernetes\.io\/)[a-z0-9]([-a-z0-9.]*[a-z0-9])?\/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Validation of the resource group (dynamic resource allocation). */
export const deviceValidation: readonly ValidationEntry[] = [
  validationOf<DeviceClass>('resource.k8s.io/v1/deviceclasses', {
    validate: ({ spec }) =>
      fields<DeviceClass['spec']>({
        selectors: deviceSelectors,
        config: each(deviceConfiguration),
        extendedResourceName: present(
          rule((name) => extendedResource.test(name), 'must be a valid extended resource name'),
        ),
      })(spec, specPath),
  }),
  validationOf<Resourcev1ResourceClaim>('resource.k8s.io/v1/resourceclaims', {
    validateCreate: ({ spec }) => deviceClaim(spec.devices, specPath.child('devices')),
    validateUpdate: ({ spec }, old) => immutable(spec, { old: old.spec, path: specPath }),
  }),
  validationOf<Resourcev1ResourceClaim>('resource.k8s.io/v1/resourceclaims/status', {
    validateUpdate: claimStatusFaults,
  }),
  validationOf<ResourceClaimTemplate>('resource.k8s.io/v1/resourceclaimtemplates', {
    validate: ({ spec }) => [
      ...templateMetadata(spec.metadata, specPath.child('metadata')),
      ...deviceClaim(spec.spec.devices, specPath.child('spec', 'devices')),
    ],
    validateUpdate: ({ spec }, old) => immutable(spec, { old: old.spec, path: specPath }),
  }),
  validationOf<ResourceSlice>('resource.k8s.io/v1/resourceslices', {
    validate: ({ spec }) => [
      ...fields<ResourceSlice['spec']>({
        driver: csiDriverName,
        pool: fields({
          name: poolName,
          resourceSliceCount: rule((count: number) => count > 0, 'must be greater than zero'),
          generation: rule((number: number) => number >= 0, 'must be greater than or equal to zero'),
        }),
        nodeName: present((name, path) =>
          name === ''
            ? [invalidField(path, name, 'must be either unset or set to a non-empty string')]
            : dnsSubdomain(name, path),
        ),
        nodeSelector: sliceNodes,
        devices: sliceDevices(spec.perDeviceNodeSelection === true),
        sharedCounters: counterSets,
      })(spec, specPath),
      ...sliceScopeFaults(spec, specPath),
    ],
    validateUpdate: ({ spec }, { spec: old }) => [
      ...immutable(spec.pool.name, { old: old.pool.name, path: specPath.child('pool', 'name') }),
      ...immutable(spec.driver, { old: old.driver, path: specPath.child('driver') }),
      ...immutable(spec.nodeName, { old: old.nodeName, path: specPath.child('nodeName') }),
    ],
  }),
];
