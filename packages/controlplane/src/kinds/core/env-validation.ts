import {
  type FieldError,
  type FieldPath,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type {
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  FileKeySelector,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from '../generated/drafts.ts';
import { type Check, each, fields, required, textRule } from '../validation/check.ts';
import { checkConfigMapKey, checkRelaxedEnvVarName } from '../validation/names.ts';
import { dnsLabel, dnsSubdomain, noParentSteps, qualifiedName } from '../validation/rules.ts';
import { billionthsOf, canonicalQuantity } from '../wire/quantity.ts';

const envFields = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const volumeFields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
const knownFields = new Set([
  ...envFields,
  ...volumeFields,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);
const envResources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];
const sources = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'] as const;

/** Validates a reference to a pod field from an environment variable. */
const envField: Check<ObjectFieldSelector> = (selector, path) => podField(selector, { path, supported: envFields });

/** Validates a reference to a pod field from a file of a downward API volume. */
export const volumeField: Check<ObjectFieldSelector> = (selector, path) =>
  podField(selector, { path, supported: volumeFields });

function podField(
  selector: ObjectFieldSelector | undefined,
  at: { readonly path: FieldPath; readonly supported: readonly string[] },
): readonly FieldError[] {
  if (!selector) return [];
  const path = at.path.child('fieldPath');
  const { fieldPath } = selector;
  if (!fieldPath) return [requiredField(path)];
  if (selector.apiVersion !== undefined && selector.apiVersion !== 'v1') {
    const detail = `error converting fieldPath: unsupported pod version: ${selector.apiVersion}`;
    return [invalidField(path, fieldPath, detail)];
  }
  const [, map, key] = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (key !== undefined) return qualifiedName(map === 'annotations' ? key.toLowerCase() : key, at.path);
  if (at.supported.includes(fieldPath)) return [];
  if (!knownFields.has(fieldPath)) {
    return [invalidField(path, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
  }
  return [unsupportedField(path, fieldPath, at.supported)];
}

/** Validates a reference to a container's resource from an environment variable. */
const resourceField: Check<ResourceFieldSelector> = (selector, path) => {
  if (!selector) return [];
  return [...resourceFaults(selector.resource, path.child('resource')), ...divisorFaults(selector, path)];
};

/** Validates a reference to a container's resource from a file, which must name the container. */
export const fileResourceField: Check<ResourceFieldSelector> = (selector, path) => {
  if (!selector || selector.containerName) return resourceField(selector, path);
  return [requiredField(path.child('containerName')), ...divisorFaults(selector, path)];
};

function resourceFaults(resource: string, path: FieldPath): readonly FieldError[] {
  if (!resource) return [requiredField(path)];
  const known = /^(limits|requests)\.hugepages-/.test(resource) || envResources.includes(resource);
  return known ? [] : [unsupportedField(path, resource, envResources)];
}

const sizes = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** The allowed divisors by resource, and their list in the error message. */
const divisors: readonly { readonly of: RegExp; readonly allowed: readonly string[]; readonly text: string }[] = [
  { of: /^(limits|requests)\.cpu$/, allowed: ['1m', '1'], text: '1m and 1 are supported with the cpu' },
  ...[
    { of: /^(limits|requests)\.memory$/, name: 'memory' },
    { of: /^(limits|requests)\.ephemeral-storage$/, name: 'local ephemeral storage' },
    { of: /^(limits|requests)\.hugepages-/, name: 'hugepages' },
  ].map(({ of, name }) => ({ of, allowed: sizes, text: `${sizes.join(', ')} are supported with the ${name}` })),
];

function divisorFaults({ resource, divisor }: ResourceFieldSelector, path: FieldPath): readonly FieldError[] {
  if (billionthsOf(divisor) === 0n) return [];
  return divisors
    .filter(({ of, allowed }) => of.test(resource ?? '') && !allowed.includes(`${canonicalQuantity(divisor)}`))
    .map(({ text }) => invalidField(path.child('divisor'), resource, `only divisor's values ${text} resource`));
}

const keyRef = fields<{ name?: string | undefined; key: string }>({
  name: dnsSubdomain,
  key: required(textRule(checkConfigMapKey)),
});

const valueFrom: Check<EnvVarSource> = fields<EnvVarSource>({
  fieldRef: envField,
  resourceFieldRef: resourceField,
  configMapKeyRef: keyRef,
  secretKeyRef: keyRef,
  fileKeyRef: fields<FileKeySelector>({
    key: required(textRule(checkRelaxedEnvVarName)),
    volumeName: required(dnsLabel),
    path: required(noParentSteps),
  }),
});

const variable: Check<EnvVar> = (item, path) => {
  if (!item) return [];
  const faults = [...required(textRule(checkRelaxedEnvVarName))(item.name, path.child('name'))];
  if (!item.valueFrom) return faults;
  const at = path.child('valueFrom');
  const given = sources.filter((source) => item.valueFrom?.[source]);
  const reject = (detail: string): FieldError => invalidField(at, '', detail);
  if (given.length === 0)
    return [
      ...faults,
      reject(
        `must specify one of: ${sources
          .slice(0, -1)
          .map((s) => `\`${s}\``)
          .join(', ')} or \`fileKeyRef\``,
      ),
    ];
  faults.push(...valueFrom(item.valueFrom, at));
  if (item.value) faults.push(reject('may not be specified when `value` is not empty'));
  else if (given.length > 1) faults.push(reject('may not have more than one field specified at a time'));
  return faults;
};

/** Validates environment variables. */
export const env: Check<EnvVar[]> = each(variable);

const source = fields<{ name?: string | undefined }>({ name: required(dnsSubdomain) });

/**
 * Validates `envFrom`: references to ConfigMaps and Secrets whose keys all become variables. As in upstream, errors
 * about the choice of source are reported at the list.
 */
export const envFrom: Check<EnvFromSource[]> = (list, path) =>
  (list ?? []).flatMap((item, index) => {
    const at = path.index(index);
    const faults = [
      ...(item.prefix ? textRule(checkRelaxedEnvVarName)(item.prefix, at.child('prefix')) : []),
      ...source(item.configMapRef, at.child('configMapRef')),
      ...source(item.secretRef, at.child('secretRef')),
    ];
    const given = Number(Boolean(item.configMapRef)) + Number(Boolean(item.secretRef));
    if (given === 0) faults.push(invalidField(path, '', 'must specify one of: `configMapRef` or `secretRef`'));
    if (given > 1) faults.push(invalidField(path, '', 'may not have more than one field specified at a time'));
    return faults;
  });
