import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nearestName } from '@kubewright/apimachinery/internal';
import { generateProject } from '../generate/generate-project.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { builtInKind, findProjectKinds, type ProjectKind } from '../project/find-kinds.ts';
import { requireProject } from '../project/find-project.ts';
import { checkName } from '../project/names.ts';
import { writeNew } from '../project/write-files.ts';
import { converterFile, defaulterFile, validatorFile } from '../templates/webhook-files.ts';
import { groupOf } from './create-api.ts';
import { registerWebhook, reportMissingSpokes } from './register-webhook.ts';

/** Flags of `create webhook`. */
export interface CreateWebhookOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly defaulting?: boolean | undefined;
  readonly validation?: boolean | undefined;
  /** kubebuilder's name for `validation`. */
  readonly programmaticValidation?: boolean | undefined;
  readonly conversion?: boolean | undefined;
}

/** Adds webhooks of a kind to a project; existing files are not changed. */
export async function createWebhook(context: Context, options: CreateWebhookOptions): Promise<void> {
  const { environment, reporter } = context;
  const project = requireProject(environment.cwd);
  const { defaulting = false, conversion = false } = options;
  const validation = options.validation === true || options.programmaticValidation === true;
  if (!defaulting && !validation && !conversion) throw noWebhookSelected();
  const named = { version: checkName('version', options.version), kind: checkName('kind', options.kind) };
  const builtIn = builtInKind({ group: options.group, ...named });
  const { kind, others } = builtIn
    ? { kind: builtIn, others: [] }
    : find(project.root, { group: groupOf(options.group, project.domain), ...named });
  if (kind.isAggregated && (defaulting || validation)) throw notCalled(kind);
  if (conversion && others.length === 0) throw builtIn ? convertedAlready(kind) : onlyVersion(kind, options);
  const files = [
    ...(defaulting ? [defaulterFile(kind)] : []),
    ...(validation ? [validatorFile(kind)] : []),
    ...(conversion ? [converterFile(kind, others)] : []),
  ];
  const { written, kept } = writeNew(project.root, files);
  for (const path of written) reporter.step('written', path);
  for (const path of kept) reporter.step('kept', path);
  if (written.length + kept.length === 0) reporter.step('unchanged', files.map(({ path }) => path).join(', '));
  for (const file of files) registerWebhook(file, { root: project.root, kind, context });
  if (conversion && kept.length > 0) reportMissingSpokes(project.root, { hub: kind, spokes: others, context });
  if (existsSync(join(project.root, 'node_modules'))) await generateProject(project, context);
  else reporter.text('To generate the manifests, run npm install, then npm run generate.\n');
}

function find(
  root: string,
  wanted: Pick<ProjectKind, 'group' | 'version' | 'kind'>,
): { readonly kind: ProjectKind; readonly others: readonly ProjectKind[] } {
  const kinds = findProjectKinds(root);
  const versions = kinds.filter(({ group, kind }) => group === wanted.group && kind === wanted.kind);
  const found = versions.find(({ version }) => version === wanted.version);
  if (found) return { kind: found, others: versions.filter((each) => each !== found) };
  const named = (each: Pick<ProjectKind, 'group' | 'version' | 'kind'>): string =>
    `${each.kind} (${each.group}/${each.version})`;
  const like =
    versions[0] ??
    kinds.find(({ kind }) => kind === wanted.kind) ??
    kinds.find(
      ({ kind }) =>
        kind ===
        nearestName(
          wanted.kind,
          kinds.map((each) => each.kind),
        ),
    );
  const { group, version, kind } = wanted;
  throw new CliError('KW7105', {
    what: `the project has no kind ${named(wanted)}`,
    why: kinds.length === 0 ? 'src/ defines no kinds' : `src/ defines ${kinds.map(named).join(', ')}`,
    remedy: like
      ? `check the flags; did you mean --group ${like.group} --version ${like.version} --kind ${like.kind}?`
      : `create the kind: kubewright create api --group ${group} --version ${version} --kind ${kind}`,
  });
}

function noWebhookSelected(): CliError {
  return new CliError('KW7103', {
    what: 'no webhook to create',
    why: 'at least one of --defaulting, --validation and --conversion is required',
    remedy: 'pass one of these flags: kubewright create webhook --group … --version … --kind … --validation',
  });
}

function onlyVersion({ kind, version, group }: ProjectKind, options: CreateWebhookOptions): CliError {
  return new CliError('KW7105', {
    what: `cannot create a conversion webhook for ${kind}`,
    why: `${version} is the only version of the kind in ${group}`,
    remedy: `add another version: kubewright create api --group ${options.group} --version v2 --kind ${kind} --no-controller`,
  });
}

function notCalled({ kind, version, group }: ProjectKind): CliError {
  return new CliError('KW7105', {
    what: `cannot create an admission webhook for ${kind} of ${group}/${version}`,
    why: "the kind is served by this project's API server, but only the cluster's API server calls webhooks",
    remedy: 'use tags in the type, such as @default and @rule, or admissionPlugins of apiServer in src/apiserver.ts',
  });
}

function convertedAlready({ kind, version }: ProjectKind): CliError {
  return new CliError('KW7105', {
    what: `cannot create a conversion webhook for ${kind} of ${version}`,
    why: 'Kubernetes itself converts the built-in kinds',
    remedy: 'remove --conversion',
  });
}
