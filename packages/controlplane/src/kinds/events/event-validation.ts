import { checkQualifiedName, type FieldError, FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { Draft } from '@kubewright/apiserver';
import type { Event } from '../generated/drafts.ts';
import { immutable, immutablePointer, isEmpty, semanticEqual } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { eventConversion } from './event-conversion.ts';

/** Validates Events. Events of events.k8s.io have more rules; their errors use core/v1's field names. */
export const eventValidation: readonly ValidationEntry[] = [
  validationOf<Event>('/v1/events', { validate: (event) => commonFaults(event, 'reportingComponent') }),
  validationOf<Draft>('events.k8s.io/v1/events', {
    validateCreate: (object) => strictFaults(inCore(object)),
    validate: (object) => commonFaults(inCore(object), 'reportingController'),
    validateUpdate: (object, old) => changeFaults(inCore(object), inCore(old)),
  }),
];

function inCore(object: Draft): Event {
  return eventConversion.toStorage(object) as unknown as Event;
}

/** Validates the rules of both APIs. An Event with an `eventTime` has the new form, which requires more fields. */
function commonFaults(event: Event, controller: string): readonly FieldError[] {
  const { involvedObject, metadata, eventTime } = event;
  const namespace = involvedObject.namespace ?? '';
  const own = metadata.namespace ?? '';
  const mismatch = [
    invalidField(FieldPath.of('involvedObject', 'namespace'), namespace, 'does not match event.namespace'),
  ];
  if (!eventTime) {
    // Events about cluster-scoped objects are in `default`.
    const fits = namespace === '' ? ['', 'default'].includes(own) : namespace === own;
    return fits ? [] : mismatch;
  }
  return [
    ...(namespace === '' && !['default', 'kube-system'].includes(own) ? mismatch : []),
    ...requiredText(event.reportingComponent, FieldPath.of(controller)),
    ...checkQualifiedName(event.reportingComponent ?? '').map((detail) =>
      invalidField(FieldPath.of(controller), event.reportingComponent ?? '', detail),
    ),
    ...requiredText(event.reportingInstance, FieldPath.of('reportingInstance'), 128),
    ...requiredText(event.action, FieldPath.of('action'), 128),
    ...requiredText(event.reason, FieldPath.of('reason'), 128),
    ...tooLong(event.message, FieldPath.of('message'), 1024),
  ];
}

function requiredText(text: string | undefined, path: FieldPath, max?: number): readonly FieldError[] {
  if (!text) return [requiredField(path)];
  return max === undefined ? [] : tooLong(text, path, max);
}

function tooLong(text: string | undefined, path: FieldPath, max: number): readonly FieldError[] {
  return Buffer.byteLength(text ?? '') > max ? [invalidField(path, '', `can have at most ${max} characters`)] : [];
}

function strictFaults(event: Event): readonly FieldError[] {
  const { eventTime, type = '', source } = event;
  const unset = { ...event, source: [source?.component, source?.host].filter(Boolean) };
  return [
    ...seriesFaults(event.series),
    ...(eventTime ? [] : [requiredField(FieldPath.of('eventTime'))]),
    ...(['Normal', 'Warning'].includes(type)
      ? []
      : [invalidField(FieldPath.of('type'), '', `has invalid value: ${type}`)]),
    ...(['firstTimestamp', 'lastTimestamp', 'count', 'source'] as const)
      .filter((name) => !isEmpty(unset[name]))
      .map((name) => invalidField(FieldPath.of(name), '', 'needs to be unset')),
  ];
}

function seriesFaults(series: Event['series']): readonly FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalidField('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [requiredField('series.lastObservedTime')]),
  ];
}

/** Zero values that upstream prints for absent fields. */
const zeros: Readonly<Record<string, unknown>> = {
  reason: '',
  message: '',
  type: '',
  count: 0,
  reportingComponent: '',
  reportingInstance: '',
};

/** Rejects changes to an Event, except to its metadata and series. */
function changeFaults(event: Event, old: Event): readonly FieldError[] {
  const fixed = [
    'reason',
    'message',
    'source',
    'firstTimestamp',
    'lastTimestamp',
    'count',
    'type',
    'eventTime',
  ] as const;
  const later = ['reportingComponent', 'reportingInstance'] as const;
  const unchanged = (name: (typeof fixed | typeof later)[number], shown: string = name): readonly FieldError[] =>
    immutable(event[name], { old: old[name], path: FieldPath.of(shown), shown: event[name] ?? zeros[name] });
  return [
    ...(semanticEqual(event.series, old.series) ? [] : seriesFaults(event.series)),
    ...immutable(event.involvedObject, { old: old.involvedObject, path: FieldPath.of('involvedObject') }),
    ...fixed.flatMap((name) => unchanged(name)),
    ...immutable(event.action, { old: old.action, path: FieldPath.of('action'), shown: event.action ?? '' }),
    ...immutablePointer(event.related, { old: old.related, path: FieldPath.of('related') }),
    ...unchanged('reportingComponent', 'reportingController'),
    ...unchanged('reportingInstance'),
  ];
}
