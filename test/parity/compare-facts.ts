import type { AnswerFacts, Failure } from './answer-facts.ts';
import type { Change } from './parity-request.ts';

/**
 * Returns the cause of the difference between two responses, such as `accepted spec.replicas|FieldValueInvalid`; undefined
 * if they are equal.
 */
export function causeOf(real: AnswerFacts, ours: AnswerFacts): string | undefined {
  const [realFails, weFail] = [real.status >= 300, ours.status >= 300];
  if (realFails && !weFail) return `accepted ${briefOf(real.failure)}`;
  if (!realFails && weFail) return `refused ${briefOf(ours.failure)}`;
  if (real.status !== ours.status) return `status ${ours.status}, not ${real.status}: ${briefOf(real.failure)}`;
  if (real.failure && ours.failure) {
    const cause = failureCause(real.failure, ours.failure);
    if (cause) return cause;
  }
  const [first] = differences(real.object, ours.object);
  if (first) return `object ${first.path.map((step) => (/^\d+$/.test(String(step)) ? '[]' : step)).join('.')}`;
  if (JSON.stringify(real.warnings) !== JSON.stringify(ours.warnings))
    return `warnings ${real.warnings?.[0] ?? 'none'}`;
  return undefined;
}

function failureCause(real: Failure, ours: Failure): string | undefined {
  if (real.reason !== ours.reason) return `reason ${ours.reason}, not ${real.reason}`;
  const [theirs, own] = [causesOf(real), causesOf(ours)];
  const missing = theirs.filter((cause) => !own.includes(cause));
  const extra = own.filter((cause) => !theirs.includes(cause));
  if (missing.length > 0 || extra.length > 0) {
    const placeOf = (cause: string): string => withoutIndexes(cause.split('|').slice(0, 2).join('|'));
    const [missingAt, extraAt] = [missing.map(placeOf), extra.map(placeOf)];
    const absent = missingAt.find((place) => !extraAt.includes(place));
    if (absent) return `missing ${absent}`;
    const surplus = extraAt.find((place) => !missingAt.includes(place));
    return surplus ? `extra ${surplus}` : `message ${missingAt[0]}`;
  }
  return differences(real, ours).length > 0
    ? `message ${shapeOf(real.message ?? JSON.stringify(real.details))}`
    : undefined;
}

function causesOf({ causes, message = '', reason }: Failure): readonly string[] {
  if (causes) return causes;
  if (reason !== 'Invalid') return [];
  const [, field = '', type = '', text = ''] = /is invalid: (\S+?): ([A-Z][a-z]+ ?[a-z]*)(.*)$/s.exec(message) ?? [];
  return [`${field}|${reasonNames[type] ?? type}|${type}${text}`];
}

/** Reasons by the start of the message. */
const reasonNames: Readonly<Record<string, string>> = {
  'Invalid value': 'FieldValueInvalid',
  'Required value': 'FieldValueRequired',
  'Unsupported value': 'FieldValueNotSupported',
  Forbidden: 'FieldValueForbidden',
  'Duplicate value': 'FieldValueDuplicate',
  'Too long': 'FieldValueTooLong',
  'Too many': 'FieldValueTooMany',
  'Not found': 'FieldValueNotFound',
};

function briefOf(failure: Failure | undefined): string {
  if (!failure) return '';
  const [first] = causesOf(failure);
  if (failure.reason === 'Invalid' && first) return withoutIndexes(first.split('|').slice(0, 2).join('|'));
  return `${failure.reason ?? ''} ${shapeOf(failure.message ?? '')}`.trim();
}

function withoutIndexes(text: string): string {
  return text.replace(/\[[^\]]*\]/g, '[]');
}

/** Returns a message without names and values. */
function shapeOf(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/\d+/g, 'N')
    .slice(0, 90);
}

/** Returns the changes that convert one JSON value into another. */
export function differences(from: unknown, to: unknown, path: Change['path'] = []): readonly Change[] {
  if (from === to) return [];
  if (!isContainer(from) || !isContainer(to) || Array.isArray(from) !== Array.isArray(to)) return [{ path, value: to }];
  if (Array.isArray(from) && from.length !== Object.keys(to).length) return [{ path, value: to }];
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...names].flatMap((name) =>
    differences(from[name], to[name], [...path, Array.isArray(from) ? Number(name) : name]),
  );
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
