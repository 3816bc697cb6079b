import { findKinds } from './compiler/find-kinds.ts';
import { Project, type ProjectOptions } from './compiler/project.ts';
import { type BuiltCrd, buildCrds } from './crd/build-crds.ts';
import { checkCrd } from './crd/check-crd.ts';
import { type Problem, Problems } from './problem.ts';
import { formatYamlDocuments } from './yaml/format-yaml.ts';

/** A file that was made. */
export interface GeneratedFile {
  /** Relative to the project's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** What {@link generate} made, and what is wrong. */
export interface GenerateResult {
  /** Sorted by path; empty when there is an error. */
  readonly files: readonly GeneratedFile[];
  readonly problems: readonly Problem[];
}

/** Options of {@link generate} and {@link Generator}. */
export interface GenerateOptions extends ProjectOptions {
  /** Goes into the labels of the roles for users of the kinds. @defaultValue the name of the root folder */
  readonly projectName?: string;
  /** Stands before names of roles. @defaultValue nothing: kustomize adds it */
  readonly namePrefix?: string;
}

/**
 * Makes a project's manifests from its types: CRDs, roles, webhook configurations. Writes nothing. What keeps files from
 * being made is in `problems`.
 *
 * @throws the signal's reason when aborted.
 */
export async function generate(options: GenerateOptions & { readonly signal?: AbortSignal }): Promise<GenerateResult> {
  return new Generator(options).generate(options);
}

/**
 * Makes the same as {@link generate}, again and again: after a change of a file only what depends on it is read anew. One
 * call at a time.
 */
export class Generator {
  readonly #options: GenerateOptions;
  readonly #project: Project;

  constructor(options: GenerateOptions) {
    this.#options = options;
    this.#project = new Project(options);
  }

  /** @param overlay - texts that stand for files from now on, by absolute path */
  async generate(
    options: { readonly signal?: AbortSignal; readonly overlay?: ReadonlyMap<string, string> } = {},
  ): Promise<GenerateResult> {
    options.signal?.throwIfAborted();
    const problems = new Problems();
    const view = this.#project.view(problems, options.overlay);
    options.signal?.throwIfAborted();
    const kinds = findKinds(view, problems);
    const crds = buildCrds(kinds, problems);
    if (!problems.hasErrors) for (const crd of crds) checkCrd(crd, problems);
    const files = problems.hasErrors ? [] : [...crds.map(crdFile)];
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files, problems: problems.list };
  }
}

function crdFile({ crd }: BuiltCrd): GeneratedFile {
  const { group, names } = crd.spec;
  return { path: `config/crd/bases/${group}_${names.plural}.yaml`, text: formatYamlDocuments([crd]) };
}
