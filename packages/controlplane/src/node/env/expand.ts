/**
 * Expands `$(NAME)` in a string. Known names are replaced by their values, unknown names are left unchanged, and `$$`
 * becomes a dollar sign. Mirrors Kubernetes' `expansion.Expand`.
 */
export function expandVariables(text: string, lookup: (name: string) => string | undefined): string {
  if (!text.includes('$')) return text;
  return text.replace(/\$(\$|\(([^)]*)\))/g, (written, what: string, name: string | undefined) =>
    what === '$' ? '$' : (lookup(name ?? '') ?? written),
  );
}
