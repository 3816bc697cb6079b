/** Returns the name of a cluster's node: `kubewright`, `kubewright-2`, … */
export function nodeName(index: number): string {
  return index === 0 ? 'kubewright' : `kubewright-${index + 1}`;
}
