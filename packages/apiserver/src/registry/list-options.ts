import { badRequest, type FieldError, forbiddenField, invalid, unsupportedField } from '@kubewright/apimachinery';
import { isTrue } from '../request-info/index.ts';
import { parseSelectors } from './parse-selectors.ts';
import { readInteger } from './query-options.ts';

/** The query of a list or watch (meta/v1 `ListOptions`), as sent. */
export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number;
  readonly continue: string;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
}

const nothing: ListOptions = {
  labelSelector: '',
  fieldSelector: '',
  limit: 0,
  continue: '',
  resourceVersion: '',
  resourceVersionMatch: '',
  timeoutSeconds: undefined,
  allowWatchBookmarks: false,
  sendInitialEvents: undefined,
};

/**
 * Reads and validates the query of a list or watch (`ValidateListOptions`, 1.36).
 *
 * @throws StatusError 400 for values that cannot be parsed, 422 for invalid combinations
 */
export function readListOptions(query: URLSearchParams, kind: 'list' | 'watch'): ListOptions {
  if (query.size === 0) return nothing;
  const sendInitialEvents = query.get('sendInitialEvents');
  const options: ListOptions = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: readInteger(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: readInteger(query, 'timeoutSeconds'),
    allowWatchBookmarks: query.has('allowWatchBookmarks') && isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
  };
  const errors = kind === 'watch' ? watchErrors(options) : listErrors(options);
  if (errors.length === 0) return options;
  // Upstream parses selectors before it validates the combination of options.
  parseSelectors(options);
  throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
}

const matchOption = 'resourceVersionMatch';

function watchErrors({ resourceVersionMatch: match, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(matchOption, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (match === '') return errors;
  if (sendInitialEvents === undefined) {
    errors.push(
      forbiddenField(matchOption, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  }
  if (match !== 'NotOlderThan') errors.push(unsupportedField(matchOption, match, ['NotOlderThan']));
  return errors;
}

function listErrors(options: ListOptions): FieldError[] {
  const { resourceVersion, resourceVersionMatch: match, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  if (match !== '') {
    if (resourceVersion === '') {
      errors.push(forbiddenField(matchOption, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
    }
    if (options.continue !== '') {
      errors.push(forbiddenField(matchOption, 'resourceVersionMatch is forbidden when continue is provided'));
    }
    if (match !== 'Exact' && match !== 'NotOlderThan') {
      errors.push(unsupportedField(matchOption, match, ['Exact', 'NotOlderThan', '']));
    }
    if (match === 'Exact' && resourceVersion === '0') {
      errors.push(forbiddenField(matchOption, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  return errors;
}

/**
 * Parses a client's resourceVersion.
 *
 * @throws StatusError 400 when it is not a number
 */
export function readResourceVersion(text: string, prefix = ''): number {
  if (!/^\d+$/.test(text)) {
    const value = JSON.stringify(text);
    throw badRequest(
      `${prefix}resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`,
    );
  }
  const revision = Number(text);
  if (!Number.isSafeInteger(revision)) {
    const value = JSON.stringify(text);
    throw badRequest(
      `${prefix}resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: value out of range`,
    );
  }
  return revision;
}
