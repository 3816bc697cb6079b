/**
 * Compares versions in Kubernetes' order of preference: `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, then anything else by name.
 * Mirrors `CompareKubeAwareVersionStrings` of k8s.io/apimachinery.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parse(a), parse(b)];
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function parse(
  version: string,
): { readonly stability: number; readonly major: number; readonly minor: number } | undefined {
  const match = /^v([1-9][0-9]*)(?:(alpha|beta)([1-9][0-9]*))?$/.exec(version);
  if (!match) return undefined;
  const [, major, stage, minor] = match;
  return {
    stability: stage === undefined ? 2 : stage === 'beta' ? 1 : 0,
    major: Number(major),
    minor: Number(minor ?? 0),
  };
}
