/**
 * Returns a note that a program's version differs from an image's tag: `running PostgreSQL 15.18 instead of 17`.
 * Returns `undefined` if the version matches, or if the tag names no version (`latest`, `bookworm`).
 */
export function versionNote(
  program: string,
  { version, tag }: { readonly version: string; readonly tag: string },
): string | undefined {
  const requested = /^\d+(\.\d+)*/.exec(tag)?.[0];
  if (requested === undefined || version === requested || version.startsWith(`${requested}.`)) return undefined;
  return `running ${program} ${version} instead of ${requested}`;
}
