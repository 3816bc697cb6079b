import { basename, resolve } from 'node:path';
import { aggregatedVersions, isAggregated } from './aggregation/aggregated-versions.ts';
import { aggregationFiles } from './aggregation/aggregation-files.ts';
import { apiServerPlace } from './aggregation/api-services.ts';
import { delegationRules } from './aggregation/delegation-rules.ts';
import { servedKindsFile } from './aggregation/served-kinds-file.ts';
import { findKinds, type ReadKind } from './compiler/find-kinds.ts';
import { KindResolver } from './compiler/kind-resolver.ts';
import { Project, type ProjectOptions } from './compiler/project.ts';
import type { TypeModel } from './compiler/type-model.ts';
import { type BuiltCrd, buildCrds } from './crd/build-crds.ts';
import { CrdChecker } from './crd/check-crd.ts';
import { checkShortNames } from './crd/check-short-names.ts';
import type { Crd } from './crd/crd.ts';
import type { KindSchema } from './crd/kind-schema.ts';
import { formatYamlDocuments } from './format-documents.ts';
import { Memory, ObjectMemory } from './memory.ts';
import { type Problem, Problems } from './problem.ts';
import { kindRoles, managerRoles, type RoleOptions } from './rbac/build-roles.ts';
import { type FileRules, findRules } from './rbac/find-rules.ts';
import type { RbacRule } from './rbac/rule.ts';
import { webhookManifests } from './webhook/build-webhooks.ts';
import { withConversions } from './webhook/conversions.ts';
import { findConversions } from './webhook/find-conversions.ts';
import { findWebhooks } from './webhook/find-webhooks.ts';
import { webhookService } from './webhook/webhook-service.ts';

/** A generated file. */
export interface GeneratedFile {
  /** Path relative to the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/**
 * The result of {@link generate}, including problems.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises';
 *
 * async function write({ files, problems }: GenerateResult): Promise<void> {
 *   for (const problem of problems) console.error(formatProblem(problem));
 *   for (const { path, text } of files) await writeFile(path, text);
 * }
 * ```
 */
export interface GenerateResult {
  /** The generated files, sorted by path. Empty if there is an error. */
  readonly files: readonly GeneratedFile[];
  /**
   * The CRDs of all kinds, including kinds of aggregated servers, whose CRDs are not among the files. Empty if there is an
   * error.
   */
  readonly kinds: readonly Crd[];
  readonly problems: readonly Problem[];
  /** The rules that the manager's roles are built from, each with the code that requires it. Empty if there is an error. */
  readonly rules: readonly RbacRule[];
}

/** Options for {@link generate} and {@link Generator}. */
export interface GenerateOptions extends ProjectOptions {
  /** Project name in the labels of the roles for users. @defaultValue the name of the root folder */
  readonly projectName?: string | undefined;
  /** Prefix of role names. @defaultValue no prefix, because kustomize adds it */
  readonly namePrefix?: string | undefined;
}

/**
 * Generates a project's manifests from its types: CRDs (or APIServices with OpenAPI documents), roles, webhook configurations.
 * Writes nothing. Errors that prevent generation are in `problems`.
 *
 * @throws the signal's reason when aborted.
 *
 * @example
 * ```ts
 * const { files, problems } = await generate({ root: process.cwd() });
 * for (const problem of problems) console.error(formatProblem(problem));
 * for (const { path, text } of files) console.log(`--- # ${path}\n${text}`);
 * ```
 */
export async function generate(
  options: GenerateOptions & { readonly signal?: AbortSignal | undefined },
): Promise<GenerateResult> {
  return new Generator(options).generate(options);
}

/**
 * Generates the same result as {@link generate}, but incrementally: later calls only read changed files and files that
 * depend on them. Not safe for concurrent calls.
 *
 * @example
 * ```ts
 * import { Generator } from '@kubewright/codegen';
 *
 * const generator = new Generator({ root: process.cwd() });
 * for await (const _change of changes) {
 *   const { problems } = await generator.generate();
 *   console.log(problems.map(formatProblem).join('\n'));
 * }
 * ```
 */
export class Generator {
  readonly #options: GenerateOptions;
  readonly #project: Project;
  readonly #kinds = new Memory<ReadKind | undefined>();
  readonly #schemas = new ObjectMemory<TypeModel, KindSchema>();
  readonly #checker = new CrdChecker();
  readonly #rules = new Memory<FileRules>();
  readonly #texts = new Memory<string>();

  constructor(options: GenerateOptions) {
    this.#options = options;
    this.#project = new Project(options);
  }

  /** @param overlay - file contents by absolute path, which replace the files on disk from now on */
  async generate(
    options: {
      readonly signal?: AbortSignal | undefined;
      readonly overlay?: ReadonlyMap<string, string> | undefined;
    } = {},
  ): Promise<GenerateResult> {
    options.signal?.throwIfAborted();
    const problems = new Problems();
    const view = this.#project.view(problems, options.overlay);
    options.signal?.throwIfAborted();
    const kinds = findKinds(view, { problems, memory: this.#kinds });
    const resolver = new KindResolver(view, kinds);
    const place = webhookService(this.#names);
    const converters = findConversions({ view, resolver, problems });
    const crds = withConversions(buildCrds(kinds, { problems, schemas: this.#schemas }), {
      converters,
      place,
      problems,
    });
    if (!problems.hasErrors) for (const crd of crds) this.#checker.check(crd, problems);
    checkShortNames(kinds, problems);
    const own = findRules({ view, resolver, problems, memory: this.#rules });
    const webhooks = webhookManifests(findWebhooks({ view, resolver, problems }), { place, problems });
    const aggregated = aggregatedVersions(crds, { problems });
    if (problems.hasErrors) return { files: [], kinds: [], problems: problems.list, rules: [] };
    const rules = aggregated.length > 0 ? [...own, ...delegationRules] : own;
    const role = managerRoles(rules, this.#names);
    const files = [
      ...aggregationFiles(aggregated, apiServerPlace(this.#names)),
      ...(aggregated.length > 0 ? [servedKindsFile(crds.filter(isAggregated))] : []),
      ...crds.filter((built) => !isAggregated(built)).map((built) => this.#crdFile(built, problems)),
      ...kindRoleFiles(crds, this.#names),
      ...(role === undefined ? [] : [{ path: 'config/rbac/role.yaml', text: role }]),
      ...(webhooks === undefined ? [] : [{ path: 'config/webhook/manifests.yaml', text: webhooks }]),
    ];
    files.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { files, kinds: crds.map(({ crd }) => crd), problems: problems.list, rules };
  }

  #crdFile({ crd }: BuiltCrd, problems: Problems): GeneratedFile {
    const { group, names } = crd.spec;
    const path = `config/crd/bases/${group}_${names.plural}.yaml`;
    const isAbout = { name: path, state: JSON.stringify(crd), problems };
    return { path, text: this.#texts.recall(isAbout, () => formatYamlDocuments([crd])) };
  }

  get #names(): RoleOptions {
    const { root, projectName = basename(resolve(root)), namePrefix = '' } = this.#options;
    return { projectName, namePrefix };
  }
}

/**
 * Generates the roles for users of each kind. Files are named after the kind, preceded by the group if another group has a
 * kind of the same name.
 */
function kindRoleFiles(crds: readonly BuiltCrd[], names: RoleOptions): readonly GeneratedFile[] {
  const nameOf = ({ crd }: BuiltCrd): string => crd.spec.names.kind.toLowerCase();
  return crds.flatMap((built) => {
    const isShared = crds.some((other) => other !== built && nameOf(other) === nameOf(built));
    const file = isShared ? `${built.crd.spec.group.split('.')[0]}_${nameOf(built)}` : nameOf(built);
    return kindRoles(built.crd, { ...names, file });
  });
}
