/** A dependency that is older than in new projects. */
export interface OutdatedPackage {
  readonly name: string;
  /** The range in package.json. */
  readonly range: string;
  /** The new range, with the same prefix (`^`, `~` or none). */
  readonly wanted: string;
}

/** Finds dependencies in a package.json whose range starts below the required version. */
export function outdatedPackages(
  manifest: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, string>>,
): readonly OutdatedPackage[] {
  return ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((section) => {
    const own = (manifest[section] ?? {}) as Readonly<Record<string, unknown>>; // npm rejects anything else
    return Object.entries(own).flatMap(([name, range]) => {
      const target = wanted[name];
      if (target === undefined || typeof range !== 'string' || !isOlder(range, target)) return [];
      const [, sign = ''] = /^([~^]?)/.exec(range) ?? [];
      return [{ name, range, wanted: `${sign}${target.replace(/^[~^]/, '')}` }];
    });
  });
}

/** Changes only the ranges in the text of a package.json. */
export function withRanges(text: string, packages: readonly OutdatedPackage[]): string {
  return packages.reduce(
    (changed, { name, range, wanted }) =>
      changed.replace(
        new RegExp(`("${escaped(name)}"\\s*:\\s*")${escaped(range)}(")`, 'g'),
        (_, before: string, after: string) => `${before}${wanted}${after}`,
      ),
    text,
  );
}

/**
 * True if the lowest version of a range is below that of another. False for dependencies without a version range, such as
 * folders or tags.
 */
function isOlder(range: string, than: string): boolean {
  const [ours, theirs] = [lowest(range), lowest(than)];
  if (!ours || !theirs) return false;
  const index = ours.findIndex((part, at) => part !== theirs[at]);
  return index !== -1 && (ours[index] ?? 0) < (theirs[index] ?? 0);
}

function lowest(range: string): readonly number[] | undefined {
  const [, major, minor = '0', patch = '0'] = /^[~^]?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-[\w.]+)?$/.exec(range) ?? [];
  return major === undefined ? undefined : [major, minor, patch].map(Number);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
