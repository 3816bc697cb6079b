import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { Event, Eventsv1Event } from '../generated/drafts.ts';
import { eventConversion } from './event-conversion.ts';

/** TTL of an Event, counted from its last write, in seconds: kube-apiserver's `--event-ttl`. */
export const eventTtlSeconds = 3600;

/** Events of the core group, in which the events of both APIs are stored. */
export const coreEvents: BuiltinKind = builtinKind<Event>({
  resource: '/v1/events',
  struct: 'v1.Event',
  validatesMetadataLast: true,
  allowCreateOnUpdate: true,
  garbageCollection: false,
  ttlSeconds: eventTtlSeconds,
  fieldLabels: {
    'involvedObject.kind': ({ involvedObject }) => involvedObject.kind ?? '',
    'involvedObject.namespace': ({ involvedObject }) => involvedObject.namespace ?? '',
    'involvedObject.name': ({ involvedObject }) => involvedObject.name ?? '',
    'involvedObject.uid': ({ involvedObject }) => involvedObject.uid ?? '',
    'involvedObject.apiVersion': ({ involvedObject }) => involvedObject.apiVersion ?? '',
    'involvedObject.resourceVersion': ({ involvedObject }) => involvedObject.resourceVersion ?? '',
    'involvedObject.fieldPath': ({ involvedObject }) => involvedObject.fieldPath ?? '',
    reason: ({ reason }) => reason ?? '',
    reportingComponent: ({ reportingComponent }) => reportingComponent,
    source: ({ source, reportingComponent }) => source.component || reportingComponent,
    type: ({ type }) => type ?? '',
  },
});

/** Events of events.k8s.io: the same objects with newer field names. */
export const newEvents: BuiltinKind = builtinKind<Eventsv1Event>({
  resource: 'events.k8s.io/v1/events',
  struct: 'eventsv1.Event',
  allowCreateOnUpdate: true,
  garbageCollection: false,
  ttlSeconds: eventTtlSeconds,
  storageApiVersion: 'v1',
  conversion: eventConversion,
  fieldLabels: {
    'regarding.kind': ({ regarding }) => regarding.kind ?? '',
    'regarding.namespace': ({ regarding }) => regarding.namespace ?? '',
    'regarding.name': ({ regarding }) => regarding.name ?? '',
    'regarding.uid': ({ regarding }) => regarding.uid ?? '',
    'regarding.apiVersion': ({ regarding }) => regarding.apiVersion ?? '',
    'regarding.resourceVersion': ({ regarding }) => regarding.resourceVersion ?? '',
    'regarding.fieldPath': ({ regarding }) => regarding.fieldPath ?? '',
    reason: ({ reason }) => reason ?? '',
    reportingController: ({ reportingController }) => reportingController ?? '',
    type: ({ type }) => type ?? '',
  },
});
