import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../program/context.ts';
import type { ProjectKind } from '../project/find-kinds.ts';
import { fileNameOf, versionedName } from '../project/names.ts';
import type { ProjectFile } from '../project/write-files.ts';
import { writeNew } from '../project/write-files.ts';
import { type ApiNames, apiFiles, samplePath } from '../templates/api-files.ts';
import { furtherSample, furtherVersion } from '../templates/further-version.ts';
import { converterFile } from '../templates/webhook-files.ts';
import { registerWebhook, reportMissingSpokes } from './register-webhook.ts';

/** A new version of an existing kind in a project. */
export interface NewVersion {
  /** The stored version: the hub through which the others are converted. */
  readonly hub: ProjectKind;
  readonly names: ApiNames;
}

/** Returns the types and the sample of a new version, copied from the stored version. */
export function versionFiles(root: string, { hub, names }: NewVersion): readonly ProjectFile[] {
  const { version, kind } = names;
  const target = `api/${version}/${fileNameOf(kind)}.ts`;
  const source = { text: readFileSync(join(root, 'src', hub.file), 'utf8'), file: hub.file };
  const types = furtherVersion({ source, variable: hub.variable, version, target });
  // The types cannot be copied: returns the template of a new kind for the user to fill in.
  if (types === undefined) return apiFiles({ ...names, furtherName: versionedName(kind, version) });
  const sample = join(root, samplePath(hub));
  const text = existsSync(sample) ? readFileSync(sample, 'utf8') : undefined;
  return [
    { path: `src/${target}`, text: types },
    ...(text === undefined
      ? []
      : [{ path: samplePath(names), text: furtherSample(text, { from: hub.version, to: version }) }]),
  ];
}

/** Writes the converter between the stored version and the other versions, or reports what to add to an existing converter. */
export function addConversion(
  root: string,
  {
    hub,
    spokes,
    context,
  }: { readonly hub: ProjectKind; readonly spokes: readonly ProjectKind[]; readonly context: Context },
): void {
  const file = converterFile(hub, spokes);
  const { written, kept } = writeNew(root, [file]);
  for (const path of written) context.reporter.step('written', path);
  if (kept.length > 0) reportMissingSpokes(root, { hub, spokes, context });
  registerWebhook(file, { root, kind: hub, context });
}
