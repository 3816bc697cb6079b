import type { LabelSelectorObject } from '@kubewright/apimachinery';

/** Formats a selector as Go prints it, for messages that match upstream's. */
export function selectorText(selector: LabelSelectorObject | undefined): string {
  if (selector === undefined) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],}`,
  );
  const matchLabels = labels.map(([key, value]) => `${key}: ${value},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${matchLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions.map((text) => `${text},`).join('')}},}`;
}
