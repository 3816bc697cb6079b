import type { UnstructuredObject } from '@kubewright/apimachinery';
import { formatYaml } from '@kubewright/schema/internal';
import { version as ownVersion } from '../program/version.ts';
import { isEarly, type PackageManifest } from '../project/package-manifest.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { clusterServiceVersion } from './cluster-service-version.ts';
import { isPermission } from './permissions.ts';

export interface BundleInput {
  /** Name of the project and of the package; part of the version names. */
  readonly name: string;
  readonly manifest: PackageManifest;
  /** The objects rendered from `config/default`, with the operator's image. */
  readonly objects: readonly UnstructuredObject[];
  readonly samples: readonly UnstructuredObject[];
  /** The version that this version replaces. */
  readonly replaces: string | undefined;
}

/** Prefix of the keys in `metadata/annotations.yaml`. */
export const annotationPrefix = 'operators.operatorframework.io';

/** Kinds that OLM creates from the CSV. */
const fromCsv = ['Namespace', 'Deployment', 'MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Builds an OLM bundle in the registry+v1 format: manifests, metadata and the Dockerfile of its image. */
export function bundleFiles(input: BundleInput): readonly ProjectFile[] {
  const { name, objects } = input;
  const annotations = annotationsOf(input);
  const labels = Object.entries(annotations).map(([key, value]) => `LABEL ${key}=${value}\n`);
  const copies = 'COPY bundle/manifests /manifests/\nCOPY bundle/metadata /metadata/\n';
  const manifests = objects.filter((object) => isOwnManifest(object, objects));
  return [
    { path: 'bundle.Dockerfile', text: `FROM scratch\n\n${labels.join('')}\n${copies}` },
    { path: 'bundle/metadata/annotations.yaml', text: formatYaml({ annotations }) },
    {
      path: `bundle/manifests/${name}.clusterserviceversion.yaml`,
      text: formatYaml(clusterServiceVersion(input)),
    },
    ...manifests.map((object) => ({
      path: `bundle/manifests/${fileOf(object)}`,
      text: formatYaml(withoutNamespace(object)),
    })),
  ];
}

function annotationsOf({ name, manifest }: BundleInput): Readonly<Record<string, string>> {
  // Two of the channel names that OLM recommends.
  const channel = isEarly(manifest.version) ? 'candidate' : 'stable';
  return {
    [`${annotationPrefix}.bundle.mediatype.v1`]: 'registry+v1',
    [`${annotationPrefix}.bundle.manifests.v1`]: 'manifests/',
    [`${annotationPrefix}.bundle.metadata.v1`]: 'metadata/',
    [`${annotationPrefix}.bundle.package.v1`]: name,
    [`${annotationPrefix}.bundle.channels.v1`]: channel,
    [`${annotationPrefix}.bundle.channel.default.v1`]: channel,
    [`${annotationPrefix}.metrics.builder`]: `kubewright-v${ownVersion}`,
  };
}

function isOwnManifest(object: UnstructuredObject, objects: readonly UnstructuredObject[]): boolean {
  const isCertificate = object.apiVersion.startsWith('cert-manager.io/');
  const isWebhookService = object.kind === 'Service' && object.metadata?.name?.endsWith('-webhook-service') === true;
  return !fromCsv.includes(object.kind) && !isCertificate && !isWebhookService && !isPermission(object, objects);
}

/**
 * `guestbooks.example.com` → `example.com_guestbooks.yaml`; other objects: `<name>_<version>_<kind>.yaml`, as
 * operator-sdk names them.
 */
function fileOf({ apiVersion, kind, metadata }: UnstructuredObject): string {
  const name = metadata?.name ?? '';
  if (kind === 'CustomResourceDefinition') {
    const [plural = '', ...group] = name.split('.');
    return `${group.join('.')}_${plural}.yaml`;
  }
  return `${name}_${apiVersion.replace('/', '_')}_${kind.toLowerCase()}.yaml`;
}

/** Removes the namespace, which OLM chooses, and the conversion, which the CSV configures. */
function withoutNamespace(object: UnstructuredObject): object {
  const { namespace: _namespace, ...metadata } = object.metadata ?? {};
  if (object.kind !== 'CustomResourceDefinition') return { ...object, metadata };
  const { conversion: _conversion, ...spec } = object['spec'] as Readonly<Record<string, unknown>>; // a CustomResourceDefinition has a spec
  return { ...object, metadata, spec };
}
