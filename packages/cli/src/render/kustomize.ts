import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { applyJsonPatch, JsonPatchError, type UnstructuredObject } from '@kubewright/apimachinery';
import { parseAllDocuments, parseDocument } from 'yaml';
import { CliError } from '../program/cli-error.ts';
import { SourceFiles, type SourceOptions } from './source-files.ts';
import { type Transformation, transform, unknownReferences } from './transform.ts';

interface Kustomization extends Transformation {
  readonly resources?: readonly string[];
  readonly patches?: readonly PatchEntry[];
}

/** A JSON patch (RFC 6902) in a file; kustomize supports more formats. */
interface PatchEntry {
  readonly path?: string;
  readonly target?: { readonly kind?: string; readonly name?: string };
}

const known = ['apiVersion', 'kind', 'resources', 'namespace', 'namePrefix', 'images', 'patches'];

/**
 * Renders the kustomizations that this program generates, like `kubectl kustomize`, so kubectl is not required.
 *
 * @throws CliError KW7504 for a kustomization that uses unsupported features: generators, components, patches that are
 * not JSON patches, built-in kinds whose references are not supported
 */
export function kustomize(folder: string, options: SourceOptions): readonly UnstructuredObject[] {
  return rendered(folder, new SourceFiles(options));
}

function rendered(folder: string, source: SourceFiles): readonly UnstructuredObject[] {
  const file = join(folder, 'kustomization.yaml');
  const kustomization = readKustomization(file, source);
  const objects = (kustomization.resources ?? []).flatMap((name): readonly UnstructuredObject[] => {
    const path = join(folder, name);
    if (!source.exists(path)) throw unusable(relative(source.root, file), `${name} does not exist`);
    return source.isFolder(path) ? rendered(path, source) : objectsIn(source.read(path), path);
  });
  const other = unknownReferences(objects);
  if (other !== undefined) throw unusable(relative(source.root, file), `references in ${other} are not supported`);
  const patches = (kustomization.patches ?? []).map((entry) => readPatch(entry, { file, source }));
  return transform(
    objects.map((object) => patches.reduce((patched, patch) => patch(patched), object)),
    kustomization,
  );
}

/** Reads a patch and returns a function that applies it to its target objects. */
function readPatch(
  { path, target, ...rest }: PatchEntry,
  { file, source }: { readonly file: string; readonly source: SourceFiles },
): (object: UnstructuredObject) => UnstructuredObject {
  const { root } = source;
  const name = relative(root, file);
  const where = path === undefined ? undefined : join(dirname(file), path);
  const fields = Object.keys(target ?? {}).filter((key) => key !== 'kind' && key !== 'name');
  if (where === undefined || !target || fields.length > 0 || Object.keys(rest).length > 0)
    throw unusable(name, 'a patch must have a "path" and a "target" with "kind" and "name", and no other fields');
  if (!source.exists(where)) throw unusable(name, `${path} does not exist`);
  const document = parseDocument(source.read(where));
  const patch: unknown = document.errors.length === 0 ? document.toJS({ maxAliasCount: 100 }) : undefined;
  if (!Array.isArray(patch))
    throw unusable(relative(root, where), 'the file is not a JSON patch (a list of operations)');
  return (object) => {
    if (target.kind !== undefined && target.kind !== object.kind) return object;
    if (target.name !== undefined && target.name !== object.metadata?.name) return object;
    try {
      return applyJsonPatch(object, patch) as UnstructuredObject; // The cast is safe: a patched object is still an object.
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      throw unusable(relative(root, where), `${object.kind} ${object.metadata?.name}: ${error.message}`);
    }
  };
}

function readKustomization(file: string, source: SourceFiles): Kustomization {
  const name = relative(source.root, file);
  if (!source.exists(file)) throw unusable(name, 'the file does not exist');
  const document = parseDocument(source.read(file));
  const [fault] = document.errors;
  if (fault) throw unusable(name, fault.message);
  const content: unknown = document.toJS({ maxAliasCount: 100 }) ?? {};
  const other = Object.keys(content as object).find((key) => !known.includes(key));
  if (other !== undefined)
    throw unusable(name, `"${other}" is not supported; supported fields: ${known.slice(2).join(', ')}`);
  return content as Kustomization;
}

function unusable(name: string, why: string): CliError {
  return new CliError('KW7504', {
    what: `cannot render ${name}`,
    why,
    remedy:
      'fix the file, or use kubectl, which supports all of kustomize: kubectl apply --server-side -k config/default',
  });
}

/** Reads all objects of a YAML file. */
export function readObjects(path: string): readonly UnstructuredObject[] {
  return objectsIn(readFileSync(path, 'utf8'), path);
}

function objectsIn(text: string, path: string): readonly UnstructuredObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [fault] = document.errors;
    if (fault) throw unusable(path, fault.message);
    const object: unknown = document.toJS({ maxAliasCount: 100 });
    return object === null || object === undefined ? [] : [object as UnstructuredObject];
  });
}
