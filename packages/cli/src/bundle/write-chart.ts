import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { UnstructuredObject } from '@kubewright/apimachinery';
import { type ChartInput, chartFiles } from '../chart/chart-files.ts';
import { installObjects } from '../deploy/deploy.ts';
import type { Project } from '../project/find-project.ts';
import type { PackageManifest } from '../project/package-manifest.ts';
import { samplesOf } from '../project/sample-files.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { kustomize, readObjects } from '../render/kustomize.ts';

/** What is made of a project besides its program. */
export interface ArtifactOptions {
  readonly project: Project;
  readonly manifest: PackageManifest;
  readonly image: string | undefined;
  /** What is new since the last release, in words. */
  readonly changes: readonly string[];
}

/** Folders of `config/` that `config/default` may leave out and a chart has under a value. */
const optionalFolders = ['prometheus', 'network-policy', 'certmanager'];

/** The files of a chart, below its folder. */
export function projectChart(options: ArtifactOptions): readonly ProjectFile[] {
  return chartFiles(chartInput(options));
}

/** What a chart of a project is made of. */
export function chartInput({ project, manifest, image, changes }: ArtifactOptions): ChartInput {
  const objects = installObjects(project, image);
  const known = new Set(objects.map(keyOf));
  const optional = optionalFolders
    .flatMap((folder) => prefixed(project, folder))
    .filter((object) => !known.has(keyOf(object)));
  return { name: project.name, manifest, objects, optional, samples: sampleObjects(project), changes };
}

/** The samples of a project. */
function sampleObjects(project: Pick<Project, 'root'>): readonly UnstructuredObject[] {
  return samplesOf(project).flatMap((path) => readObjects(join(project.root, path)));
}

/** What a folder renders to with the names that `config/default` gives. */
function prefixed({ root, name }: Project, folder: string): readonly UnstructuredObject[] {
  const path = join(root, 'config', folder);
  if (!existsSync(join(path, 'kustomization.yaml'))) return [];
  return kustomize(path, { root }).map((object) => ({
    ...object,
    metadata: { ...object.metadata, name: `${name}-${object.metadata?.name}`, namespace: `${name}-system` },
  }));
}

function keyOf({ kind, metadata }: UnstructuredObject): string {
  return `${kind} ${metadata?.name}`;
}
