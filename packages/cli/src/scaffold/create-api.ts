import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generateProject } from '../generate/generate-project.ts';
import { CliError } from '../program/cli-error.ts';
import type { Context } from '../program/context.ts';
import { findProjectKinds, type ProjectKind } from '../project/find-kinds.ts';
import { requireProject } from '../project/find-project.ts';
import { checkName, fileNameOf, variableOf } from '../project/names.ts';
import { writeNew } from '../project/write-files.ts';
import { type ApiNames, apiFiles, controllerFiles } from '../templates/api-files.ts';
import { addToApiServer, hasApiServerPackage } from './add-api-server.ts';
import { addConversion, versionFiles } from './add-version.ts';
import { registerIn } from './register-in.ts';

/** Flags of `create api`. */
export interface CreateApiOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural?: string | undefined;
  readonly scope?: 'Namespaced' | 'Cluster' | undefined;
  /** @defaultValue true */
  readonly resource?: boolean | undefined;
  /** @defaultValue true for the first version of a kind */
  readonly controller?: boolean | undefined;
  /** Serves the kind from an API server in the project, without a controller by default. @defaultValue false */
  readonly aggregated?: boolean | undefined;
}

/**
 * Adds a kind and its controller to a project; existing files are not changed. If the project already has the kind, adds a
 * version: its types are copied from the stored version, a converter is added, and the controller is unchanged.
 *
 * @throws CliError KW7102 if a name is invalid, or if the other server already serves kinds of this group version
 */
export async function createApi(context: Context, options: CreateApiOptions): Promise<void> {
  const { environment, reporter } = context;
  const project = requireProject(environment.cwd);
  const { root } = project;
  const group = groupOf(options.group, project.domain);
  const version = checkName('version', options.version);
  const kind = checkName('kind', options.kind);
  const plural = options.plural === undefined ? undefined : checkName('plural', options.plural);
  const names: ApiNames = { group, version, kind, plural, scope: options.scope ?? 'Namespaced' };
  const others = otherVersions(root, names);
  const hub = others.find(({ isStored }) => isStored) ?? others[0];
  const isAggregated = options.aggregated ?? hub?.isAggregated ?? false;
  const { resource = true, controller = hub === undefined && !isAggregated } = options;
  checkServedAlike(root, { ...names, isAggregated });
  const files = [
    ...(resource
      ? hub
        ? versionFiles(root, { hub, names })
        : apiFiles({ ...names, isAggregated, hasStatus: controller || !isAggregated })
      : []),
    ...(controller ? controllerFiles(hub ? { ...names, version: hub.version } : names) : []),
  ];
  const { written, kept } = writeNew(root, files);
  for (const path of written) reporter.step('written', path);
  for (const path of kept) reporter.step('kept', path);
  if (written.length + kept.length === 0) reporter.step('unchanged', `${kind} of ${group}/${version}`);
  const [variable, module] = [variableOf(names.kind), `./controllers/${fileNameOf(names.kind)}.ts`];
  if (controller) registerIn(root, { list: 'controllers', variable, module }, context);
  if (isAggregated && !hub) addToApiServer(root, names, context);
  if (resource && hub) {
    const spokes = otherVersions(root, hub);
    addConversion(root, { hub, spokes, context });
  }
  // Types cannot be read before the first npm install.
  const isInstalled = isAggregated ? hasApiServerPackage(root) : existsSync(join(root, 'node_modules'));
  if (isInstalled) await generateProject(project, context);
  else reporter.text('To generate the manifests, run npm install, then npm run generate.\n');
}

/** Returns the other versions of a kind that a project defines. */
function otherVersions(
  root: string,
  { group, kind, version }: Pick<ApiNames, 'group' | 'kind' | 'version'>,
): readonly ProjectKind[] {
  return findProjectKinds(root).filter(
    (each) => each.group === group && each.kind === kind && each.version !== version,
  );
}

/**
 * Rejects a kind if another server serves its group version. A group version belongs either to the cluster's API server
 * or to the project's.
 */
function checkServedAlike(root: string, { group, version, kind, isAggregated }: ApiNames): void {
  const other = findProjectKinds(root).find(
    (each) =>
      each.group === group && each.isAggregated !== isAggregated && (each.version === version || each.kind === kind),
  );
  if (other === undefined) return;
  const server = (aggregated = false): string => (aggregated ? 'the API server of the project' : 'a CRD');
  throw new CliError('KW7102', {
    what: `cannot serve ${kind} (${group}/${version}) from ${server(isAggregated)}`,
    why: `${other.kind} (${group}/${other.version}) in src/${other.file} is served from ${server(other.isAggregated)}`,
    remedy:
      other.kind === kind
        ? 'serve all versions of a kind from one server'
        : `choose another --group or --version, or ${isAggregated ? 'remove' : 'add'} --aggregated`,
  });
}

/** Adds the domain to a group without a dot. */
export function groupOf(group: string, domain: string): string {
  checkName('group', group);
  if (group === domain || group.endsWith(`.${domain}`)) return group;
  if (!group.includes('.')) return `${group}.${domain}`;
  throw new CliError('KW7102', {
    what: `invalid group ${group}`,
    why: `API groups of this project must end with the domain ${domain}`,
    remedy: `pass --group ${group.split('.')[0]} to use the group ${group.split('.')[0]}.${domain}`,
  });
}
