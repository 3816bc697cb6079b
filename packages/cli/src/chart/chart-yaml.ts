import type { UnstructuredObject } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import { formatYaml } from '@kubewright/schema/internal';
import { isEarly } from '../project/package-manifest.ts';
import { summaryOf } from '../render/kind-summary.ts';
import type { ChartInput } from './chart-files.ts';
import { managerParts } from './manager-template.ts';

/** Writes `Chart.yaml`, including the annotations that Artifact Hub shows for an operator. */
export function chartYaml({ name, manifest, objects, samples, changes }: Omit<ChartInput, 'certificates'>): string {
  const { version, description, license, homepage, repository, keywords, author, hasSecurityUpdates } = manifest;
  const maintainers = author === undefined ? [] : [author];
  const images = objects
    .filter(({ kind }) => kind === 'Deployment')
    .flatMap((object) => managerParts(object).pod.containers.map(({ image = '' }) => ({ name, image })));
  const links = repository === undefined ? [] : [{ name: 'source', url: repository }];
  // Artifact Hub expects a list as a string that contains YAML.
  const listed = (value: readonly unknown[]): string | undefined =>
    value.length === 0 ? undefined : formatYaml(value);
  return formatYaml({
    apiVersion: 'v2',
    name,
    description: description ?? `The operator ${name}`,
    type: 'application',
    version,
    appVersion: version,
    ...defined({ home: homepage }),
    ...(repository !== undefined && { sources: [repository] }),
    ...(keywords.length > 0 && { keywords }),
    ...(maintainers.length > 0 && { maintainers }),
    annotations: {
      'artifacthub.io/operator': 'true',
      'artifacthub.io/operatorCapabilities': 'Basic Install',
      'artifacthub.io/crds': listed(crds(objects)),
      'artifacthub.io/crdsExamples': listed(samples),
      'artifacthub.io/images': listed(images),
      'artifacthub.io/license': license,
      'artifacthub.io/changes': listed(changes),
      'artifacthub.io/links': listed(links),
      'artifacthub.io/maintainers': listed(
        maintainers.flatMap((each) => (each.email === undefined ? [] : [{ name: each.name, email: each.email }])),
      ),
      'artifacthub.io/prerelease': String(isEarly(version)),
      'artifacthub.io/containsSecurityUpdates': String(hasSecurityUpdates),
    },
  });
}

function crds(objects: readonly UnstructuredObject[]): readonly object[] {
  return summaryOf(objects).map(({ crd, kind, version, description }) => ({
    kind,
    version,
    name: crd,
    displayName: kind,
    description,
  }));
}
