import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isName } from './names.ts';

/** A kind that a project defines. */
export interface ProjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The constant that contains the kind. */
  readonly variable: string;
  /** Path of the module relative to `src`, with slashes; name of the package if `isBuiltIn`. */
  readonly file: string;
  /** True for Kubernetes' own kinds. */
  readonly isBuiltIn?: boolean;
  /** True for the stored version of a kind. */
  readonly isStored?: boolean;
  /** True if an API server in the project serves the kind. */
  readonly isAggregated?: boolean;
}

/**
 * Returns a Kubernetes kind for a group as users write it (`core`, `apps`, `networking.k8s.io`), or undefined for other groups.
 * The compiler reports kinds that do not exist.
 */
export function builtInKind({
  group,
  version,
  kind,
}: Pick<ProjectKind, 'group' | 'version' | 'kind'>): ProjectKind | undefined {
  if (!/^(core|apps|autoscaling|batch|policy|[a-z]+(\.[a-z]+)*\.k8s\.io)$/.test(group)) return undefined;
  const file = `@kubewright/apimachinery/${group.split('.')[0]}/${version}`;
  return { group: group === 'core' ? '' : group, version, kind, variable: kind, file, isBuiltIn: true };
}

/** Matches `export const Shop = defineKind<ShopSpec, ShopStatus>({ … })` up to its literals. */
const definition = /export const (\w+)[^=;]*=\s*defineKind\s*<[^;]*?>\(\{([^;]*?)\}\s*\)/g;

/**
 * Finds the kinds that a project's sources define. Works without the compiler, which is missing before `npm install`: group,
 * version and kind must be literals, which the generator requires too.
 */
export function findProjectKinds(root: string): readonly ProjectKind[] {
  const src = join(root, 'src');
  if (!existsSync(src)) return [];
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /(?<!\.(?:test|d))\.ts$/.test(path))
    .sort()
    .flatMap((file) => kindsIn(readFileSync(join(src, file), 'utf8'), file));
}

function kindsIn(text: string, file: string): readonly ProjectKind[] {
  if (!text.includes('defineKind')) return [];
  return [...text.matchAll(definition)].flatMap(([, variable = '', fields = '']) => {
    const literal = (name: string): string | undefined =>
      new RegExp(`(?:^|[\\s{,])${name}:\\s*['"]([^'"]*)['"]`).exec(fields)?.[1];
    const [group, version, kind] = [literal('group'), literal('version'), literal('kind')];
    if (group === undefined || version === undefined || kind === undefined) return [];
    // `generate` reports invalid names; skip them here, because they would become part of code.
    if (!isName('group', group) || !isName('version', version) || !isName('kind', kind)) return [];
    const isStored = !/(?:^|[\s{,])storage:\s*false/.test(fields);
    return [{ group, version, kind, variable, file, isStored, isAggregated: literal('servedBy') === 'aggregated' }];
  });
}
