import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { type ChartInput, chartFiles, type Rendered } from '../chart/chart-files.ts';
import { type InstallOptions, installObjects } from '../deploy/deploy.ts';
import type { Project } from '../project/find-project.ts';
import { type Generate, manifestsOf } from '../project/manifests.ts';
import type { PackageManifest } from '../project/package-manifest.ts';
import { samplesOf } from '../project/sample-files.ts';
import { type ProjectFile, replaceable } from '../project/write-files.ts';
import { kustomize, readObjects } from '../render/kustomize.ts';
import { SourceFiles } from '../render/source-files.ts';

/** What is made of a project besides its program. */
export interface ArtifactOptions {
  readonly project: Project;
  readonly manifest: PackageManifest;
  readonly image: string | undefined;
  /** What is new since the last release, in words. */
  readonly changes: readonly string[];
  /** Manifests as they would be with the other kind of certificates. @see otherCertificates */
  readonly otherwise?: ReadonlyMap<string, string> | undefined;
}

/** Folders of `config/` that `config/default` may leave out and a chart has under a value. */
const optionalFolders = ['prometheus', 'network-policy', 'certmanager'];

/** The files of a chart, below its folder. */
export function projectChart(options: ArtifactOptions): readonly ProjectFile[] {
  return chartFiles(chartInput(options));
}

/** Makes a project's manifests as they would be if another signed for it: the operator itself, or cert-manager. */
export async function otherCertificates(
  project: Project,
  options: { readonly signal: AbortSignal; readonly generate: Generate },
): Promise<ReadonlyMap<string, string>> {
  const certificates = project.certificates === 'own' ? 'cert-manager' : 'own';
  const { files } = await manifestsOf({ ...project, certificates }, options);
  return replaceable(project.root, files);
}

/** What a chart of a project is made of. */
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

/** The samples of a project. */
function sampleObjects(project: Pick<Project, 'root'>): readonly UnstructuredObject[] {
  return samplesOf(project).flatMap((path) => readObjects(join(project.root, path)));
}

/** What a folder renders to with the names that `config/default` gives. */
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

function keyOf({ kind, metadata }: UnstructuredObject): string {
  return `${kind} ${metadata?.name}`;
}
