import { type GenerateResult, generate as generateOnce, type Problem } from '@kubewright/codegen';
import { editorSchemas } from '@kubewright/codegen/internal';
import { configFiles } from '../layout/config-files.ts';
import { grafanaFiles } from '../layout/grafana-files.ts';
import { webhookLayoutOf } from '../layout/webhook-files.ts';
import type { Project } from '../project/find-project.ts';
import { samplesOf } from '../project/sample-files.ts';
import type { ProjectFile } from '../project/write-files.ts';

/** The manifests that a project's sources define. */
export interface Manifests {
  /** All generated files, relative to the root; empty if there is an error. */
  readonly files: readonly ProjectFile[];
  readonly problems: readonly Problem[];
}

/** The generator function: a single run, or an incremental generator. */
export type Generate = (options: { readonly signal: AbortSignal }) => Promise<GenerateResult>;

/** Generates all files of a project without writing them. */
export async function manifestsOf(
  project: Project,
  { signal, generate }: { readonly signal: AbortSignal; readonly generate?: Generate },
): Promise<Manifests> {
  const { files, kinds, problems } = await (generate
    ? generate({ signal })
    : generateOnce({ root: project.root, projectName: project.name, signal }));
  if (problems.some(({ severity }) => severity === 'error')) return { files: [], problems };
  const fromTypes = [...files, ...kinds.flatMap((kind) => editorSchemas(kind))];
  const present = [...fromTypes.map(({ path }) => path), ...samplesOf(project)];
  const webhooks = webhookLayoutOf(files, project.certificates);
  const laidOut = [...configFiles({ project, present, webhooks }), ...grafanaFiles()];
  return { files: [...fromTypes, ...laidOut], problems };
}
