import type { Container, LabelSelector } from '../generated/drafts.ts';

/** Formats labels: `a=b,c=d`, or `<none>`. */
export function labelText(labels: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return orNone(entries.map(([key, value]) => `${key}=${value}`).join(','));
}

/** Formats a label selector in kubectl's syntax: `app=web,tier in (a,b),!old`. Returns `<none>` if it selects everything. */
export function selectorText(selector: LabelSelector | null | undefined): string {
  const requirements: (readonly [key: string, text: string])[] = [];
  for (const [key, value] of Object.entries(selector?.matchLabels ?? {})) requirements.push([key, `${key}=${value}`]);
  for (const { key, operator, values } of selector?.matchExpressions ?? []) {
    requirements.push([key, expressionText({ key, operator, values: values ?? [] })]);
  }
  requirements.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return orNone(requirements.map(([, text]) => text).join(','));
}

function expressionText(part: {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}): string {
  const { key, operator } = part;
  const values = [...part.values].sort().join(',');
  switch (operator) {
    case 'In':
      return `${key} in (${values})`;
    case 'NotIn':
      return `${key} notin (${values})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}

/** Returns the container names and the images of a template, each joined by commas. */
export function containerTexts(containers: readonly Container[] | null | undefined): readonly [string, string] {
  const list = containers ?? [];
  return [list.map(({ name }) => name).join(','), list.map(({ image }) => image ?? '').join(',')];
}

/** Joins the first three items, followed by `+ n more...` if there are more. Returns `<unset>` for an empty list. */
export function firstThree(list: readonly string[]): string {
  const shown = list.slice(0, 3).join(',');
  if (list.length > 3) return `${shown} + ${list.length - 3} more...`;
  return shown === '' ? '<unset>' : shown;
}

/** Returns the text, or `<none>` if it is empty. */
export function orNone(text: string | undefined): string {
  return text || '<none>';
}

/** Returns the text, or `<unset>` if it is absent. */
export function orUnset(text: string | undefined): string {
  return text ?? '<unset>';
}
