import type { UnstructuredObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { managerParts, type PodSpec } from '../chart/manager-template.ts';
import { isEarly } from '../project/package-manifest.ts';
import { summaryOf, titleOf } from '../render/kind-summary.ts';
import type { BundleInput } from './bundle-files.ts';
import { descriptorsOf } from './descriptors.ts';
import { permissionsOf } from './permissions.ts';
import { webhookDefinitions } from './webhook-definitions.ts';

/** Builds the ClusterServiceVersion, which describes one version of an operator to OLM. */
export function clusterServiceVersion(input: BundleInput): UnstructuredObject {
  const { name, manifest, objects, samples, replaces } = input;
  const { version, description = `The operator ${name}`, homepage, repository, keywords, author } = manifest;
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  const images = [
    ...new Set(deployments.flatMap((each) => managerParts(each).pod.containers.map(({ image = '' }) => image))),
  ];
  const webhooks = webhookDefinitions(objects);
  const links = [
    ...(homepage === undefined ? [] : [{ name: 'Home', url: homepage }]),
    ...(repository === undefined ? [] : [{ name: 'Source', url: repository }]),
  ];
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `${name}.v${version}`,
      namespace: 'placeholder',
      // The same program runs on every architecture: see the Dockerfile.
      labels: {
        'operatorframework.io/arch.amd64': 'supported',
        'operatorframework.io/arch.arm64': 'supported',
        'operatorframework.io/os.linux': 'supported',
      },
      annotations: {
        'alm-examples': JSON.stringify(samples, null, 2),
        capabilities: 'Basic Install',
        description,
        ...defined({ containerImage: images[0] }),
        'operatorframework.io/suggested-namespace': `${name}-system`,
        ...defined({ repository }),
      },
    },
    spec: {
      displayName: titleOf(name),
      description,
      version,
      ...(replaces !== undefined && { replaces: `${name}.v${replaces}` }),
      minKubeVersion: minimumFor(objects),
      maturity: isEarly(version) ? 'alpha' : 'stable',
      provider: { name: author?.name ?? name, ...defined({ url: author?.url }) },
      ...(author?.email !== undefined && { maintainers: [{ name: author.name, email: author.email }] }),
      ...(keywords.length > 0 && { keywords }),
      ...(links.length > 0 && { links }),
      // The operator watches all namespaces; restricting it requires other arguments, which OLM cannot set.
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: type === 'AllNamespaces',
      })),
      customresourcedefinitions: { owned: ownedKinds(objects) },
      install: {
        strategy: 'deployment',
        spec: { deployments: deployments.map(deployment), ...permissionsOf(objects) },
      },
      ...(webhooks.length > 0 && { webhookdefinitions: webhooks }),
      relatedImages: images.map((image) => ({ name: nameOfImage(image), image })),
    },
  };
}

/** Returns the first Kubernetes version that supports all features of the CRDs: CEL rules, or selectable fields. */
function minimumFor(objects: readonly UnstructuredObject[]): string {
  const definitions = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  return JSON.stringify(definitions).includes('"selectableFields":') ? '1.31.0' : '1.25.0';
}

function ownedKinds(objects: readonly UnstructuredObject[]): readonly object[] {
  return summaryOf(objects).map(({ crd, kind, version, description, schema }) => ({
    name: crd,
    kind,
    version,
    displayName: titleOf(kind),
    description,
    specDescriptors: descriptorsOf(schema.properties?.['spec']),
    statusDescriptors: descriptorsOf(schema.properties?.['status']),
  }));
}

const mountedCertificate = '--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs';

/** Removes certificate volumes: OLM provides the certificates and mounts them at the paths of kubebuilder's layout. */
function deployment(object: UnstructuredObject): object {
  const spec = object['spec'] as { readonly template: { readonly metadata?: object; readonly spec: PodSpec } }; // The Deployment was rendered from the project's own manifests.
  const { volumes = [], containers, ...pod } = spec.template.spec;
  const isCertificate = (name: string): boolean => /^(webhook|metrics)-certs$/.test(name);
  const kept = volumes.filter(({ name }) => !isCertificate(name));
  return {
    name: object.metadata?.name,
    label: object.metadata?.labels,
    spec: {
      ...spec,
      template: {
        ...spec.template,
        spec: {
          ...pod,
          ...(kept.length > 0 && { volumes: kept }),
          containers: containers.map(({ volumeMounts = [], args = [], ...container }) => {
            const mounts = volumeMounts.filter(({ name }) => !isCertificate(name));
            return {
              ...container,
              args: args
                // OLM provides no certificate for metrics: the operator signs its own.
                .filter((arg) => !arg.startsWith('--metrics-cert-'))
                .map((arg) => (arg.startsWith('--webhook-service=') ? mountedCertificate : arg)),
              ...(mounts.length > 0 && { volumeMounts: mounts }),
            };
          }),
        },
      },
    },
  };
}

/** `registry.example.com/team/shop:1.0` → `shop`. */
function nameOfImage(image: string): string {
  return /([^/:@]+)(?:[:@].*)?$/.exec(image)?.[1] ?? image;
}
