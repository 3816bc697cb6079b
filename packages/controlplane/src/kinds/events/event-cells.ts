import { ageOf } from '@kubewright/apiserver/internal';
import type { Event, Eventsv1Event } from '../generated/drafts.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';
import { eventConversion } from './event-conversion.ts';

/** Table rows of Events, the same in both APIs. */
export const eventCells: readonly CellsEntry[] = [
  cellsOf<Event>('/v1/events', cells),
  cellsOf<Eventsv1Event>('events.k8s.io/v1/events', (event, nowMs) => {
    const stored = eventConversion.toStorage(event as unknown as Parameters<typeof eventConversion.toStorage>[0]);
    return cells(stored as unknown as Event, nowMs);
  }),
];

function cells(event: Event, nowMs: number): readonly unknown[] {
  const { involvedObject, series } = event;
  const first = ageOf(event.firstTimestamp || event.eventTime, nowMs);
  const last = series
    ? ageOf(series.lastObservedTime, nowMs)
    : event.lastTimestamp
      ? ageOf(event.lastTimestamp, nowMs)
      : first;
  const kind = (involvedObject.kind ?? '').toLowerCase();
  return [
    last,
    event.type ?? '',
    event.reason ?? '',
    involvedObject.name ? `${kind}/${involvedObject.name}` : kind,
    involvedObject.fieldPath ?? '',
    sourceText(event),
    (event.message ?? '').trim(),
    first,
    series ? (series.count ?? 0) : event.count || 1,
    event.metadata.name,
  ];
}

function sourceText({ source, reportingComponent, reportingInstance }: Event): string {
  const component = source?.component || reportingComponent || '';
  const instance = source?.host || reportingInstance || '';
  return instance === '' ? component : `${component}, ${instance}`;
}
