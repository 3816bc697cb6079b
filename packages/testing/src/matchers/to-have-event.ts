import { defined } from '@kubewright/apimachinery/internal';
import { fail } from './matcher.ts';
import { matches } from './to-match.ts';

/** The text of an event: the union of the fields of both event APIs and of the events that a reconcile reports. */
interface EventText {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly message?: string;
  readonly regarding?: { readonly name?: string };
  readonly involvedObject?: { readonly name?: string };
}

/**
 * Matches a list that contains an expected event: events of either API, a list response, or the events of `reconcileOnce`.
 *
 * @param expected - the fields to compare; `name` is the name of the object that the event is about
 * @throws AssertionError with all events of the list
 *
 * @example
 * ```ts
 * import { Event } from '@kubewright/apimachinery/core/v1';
 *
 * await eventually(() => client.resource(Event).list(), toHaveEvent({ type: 'Warning', reason: 'BackupFailed', note: /disk/ }));
 * ```
 */
export function toHaveEvent<T extends readonly object[] | { readonly items: readonly object[] }>(expected: {
  readonly type?: 'Normal' | 'Warning';
  readonly reason?: string | RegExp;
  readonly note?: string | RegExp;
  readonly name?: string;
}): (events: T) => void {
  return (events) => {
    const all: readonly EventText[] = 'items' in events ? events.items : events;
    const actual = all.map(comparable);
    if (actual.some((event) => matches(expected, event))) return;
    fail(`no event matches; events found: ${actual.length}`, { expected: [expected], actual });
  };
}

function comparable(event: EventText): object {
  const { type = 'Normal', reason, note = event.message } = event;
  const name = event.regarding?.name ?? event.involvedObject?.name;
  return { type, reason, note, ...defined({ name }) };
}
