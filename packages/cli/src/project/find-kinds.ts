import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isName } from './names.ts';

/** A kind that a project defines. */
export interface ProjectKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The constant that holds it. */
  readonly variable: string;
  /** Of the module, relative to `src`, with slashes; of a package, where `isBuiltIn`. */
  readonly file: string;
  /** One of Kubernetes' own. */
  readonly isBuiltIn?: boolean;
  /** Of several versions of a kind: the one that is stored. */
  readonly isStored?: boolean;
}

/**
 * One of Kubernetes' own kinds, by a group as people write it (`core`, `apps`, `networking.k8s.io`); undefined for other
 * groups. Whether there is such a kind is the compiler's to say.
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

/** `export const Shop = defineKind<ShopSpec, ShopStatus>({ … })`, as far as its literals. */
const definition = /export const (\w+)[^=;]*=\s*defineKind\s*<[^;]*?>\(\{([^;]*?)\}\s*\)/g;

/**
 * Finds the kinds that a project's sources define, without the compiler, which is not there before `npm install`: group,
 * version and kind have to be literals, as the generator demands, too.
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
    // Anything else is a mistake that generate reports; here it would become a part of code.
    if (!isName('group', group) || !isName('version', version) || !isName('kind', kind)) return [];
    return [{ group, version, kind, variable, file, isStored: !/(?:^|[\s{,])storage:\s*false/.test(fields) }];
  });
}
