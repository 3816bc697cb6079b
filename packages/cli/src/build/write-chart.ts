import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { keyOf } from '../chart/certificate-choice.ts';
import { type ChartInput, chartFiles, type Rendered } from '../chart/chart-files.ts';
import { type Generate, manifestsOf } from '../generate/manifests.ts';
import type { Project } from '../project/find-project.ts';
import type { PackageManifest } from '../project/package-manifest.ts';
import { samplesOf } from '../project/sample-files.ts';
import { type ProjectFile, replaceable } from '../project/write-files.ts';
import { type InstallOptions, installObjects } from '../render/install-objects.ts';
import { kustomize, readObjects } from '../render/kustomize.ts';
import { SourceFiles } from '../render/source-files.ts';

/** The input for the artifacts that `build` writes in addition to the program. */
export interface ArtifactOptions {
  readonly project: Project;
  readonly manifest: PackageManifest;
  readonly image: string | undefined;
  /** Changes since the last release, in plain text. */
  readonly changes: readonly string[];
  /** Manifests rendered for the other certificate issuer. @see otherCertificates */
  readonly otherwise?: ReadonlyMap<string, string> | undefined;
}

/** Folders of `config/` that are optional in `config/default` and that the chart enables with a value. */
const optionalFolders = ['prometheus', 'network-policy', 'certmanager'];

/** Returns the files of a chart, relative to its folder. */
export function projectChart(options: ArtifactOptions): readonly ProjectFile[] {
  return chartFiles(chartInput(options));
}

/** Renders a project's manifests with the other certificate issuer: the operator itself, or cert-manager. */
export async function otherCertificates(
  project: Project,
  options: { readonly signal: AbortSignal; readonly generate: Generate },
): Promise<ReadonlyMap<string, string>> {
  const certificates = project.certificates === 'own' ? 'cert-manager' : 'own';
  const { files } = await manifestsOf({ ...project, certificates }, options);
  return replaceable(project.root, files);
}

/** Builds the chart input for a project. */
export function chartInput({ project, manifest, image, changes, otherwise }: ArtifactOptions): ChartInput {
  const { name, certificates } = project;
  const rendered = render(project, { image });
  const other = otherwise === undefined ? undefined : render(project, { image, files: otherwise });
  return { name, manifest, ...rendered, certificates, other, samples: sampleObjects(project), changes };
}

function render(project: Project, options: InstallOptions): Rendered {
  const objects = installObjects(project, options);
  const known = new Set(objects.map(keyOf));
  const optional = optionalFolders
    .flatMap((folder) => prefixed(project, { folder, files: options.files }))
    .filter((object) => !known.has(keyOf(object)));
  return { objects, optional };
}

/** Returns the samples of a project. */
function sampleObjects(project: Pick<Project, 'root'>): readonly UnstructuredObject[] {
  return samplesOf(project).flatMap((path) => readObjects(join(project.root, path)));
}

/** Renders a folder with the name prefix and namespace that `config/default` sets. */
function prefixed(
  { root, name }: Project,
  { folder, files }: { readonly folder: string; readonly files: ReadonlyMap<string, string> | undefined },
): readonly UnstructuredObject[] {
  const path = join(root, 'config', folder);
  if (!new SourceFiles({ root, files }).exists(join(path, 'kustomization.yaml'))) return [];
  return kustomize(path, { root, files }).map((object) => ({
    ...object,
    metadata: { ...object.metadata, name: `${name}-${object.metadata?.name}`, namespace: `${name}-system` },
  }));
}
