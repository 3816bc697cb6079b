import { LabelSelector, type LabelSelectorObject } from '@kubewright/apimachinery';
import type { CreateEvent, DeleteEvent, GenericEvent, ObjectEvent, UpdateEvent } from '../handler/events.ts';
import type { ObjectView } from '../handler/object-view.ts';

/**
 * Decides if an event reaches the handler. It does not filter the cache; use a selector to keep objects out of the cache. Must be
 * synchronous and without side effects.
 *
 * @example
 * ```ts
 * const named: Predicate<Pod> = (event) => event.object.name.startsWith('web-');
 * ```
 */
export type Predicate<T> = (event: ObjectEvent<T>) => boolean;

/** Passes updates that changed `metadata.generation` (that is, the spec); always passes creates and deletes. */
export function generationChanged<T>(): Predicate<T> {
  return onUpdate((old, now) => old.generation !== now.generation);
}

/** Passes updates that changed a label; always passes creates and deletes. */
export function labelChanged<T>(): Predicate<T> {
  return onUpdate((old, now) => !sameEntries(old.labels, now.labels));
}

/** Passes updates that changed an annotation; always passes creates and deletes. */
export function annotationChanged<T>(): Predicate<T> {
  return onUpdate((old, now) => !sameEntries(old.annotations, now.annotations));
}

/**
 * Passes updates that changed the object; drops replays of an unchanged object.
 *
 * @example
 * ```ts
 * const changed = resourceVersionChanged();
 * ```
 */
export function resourceVersionChanged<T>(): Predicate<T> {
  return onUpdate((old, now) => old.resourceVersion !== now.resourceVersion);
}

/** One function per event type; events of a type that has no function pass. */
export interface PredicateFuncs<T> {
  create?(event: CreateEvent<T>): boolean;
  update?(event: UpdateEvent<T>): boolean;
  delete?(event: DeleteEvent<T>): boolean;
  generic?(event: GenericEvent<T>): boolean;
}

/**
 * Creates a predicate from one function per event type; other events pass.
 *
 * @example
 * ```ts
 * const noDeletions = predicateFuncs({ delete: () => false });
 * ```
 */
export function predicateFuncs<T>(funcs: PredicateFuncs<T>): Predicate<T> {
  return (event) => {
    switch (event.type) {
      case 'create':
        return funcs.create?.(event) ?? true;
      case 'update':
        return funcs.update?.(event) ?? true;
      case 'delete':
        return funcs.delete?.(event) ?? true;
      case 'generic':
        return funcs.generic?.(event) ?? true;
    }
  };
}

/**
 * Passes events whose object matches. An update passes if the old or the new object matches, because an object that stops matching
 * matters too (controller-runtime checks only the new object).
 *
 * @example
 * ```ts
 * const web = objectMatches((pod) => pod.name.startsWith('web-'));
 * ```
 */
export function objectMatches<T>(fits: (object: ObjectView<T>) => boolean): Predicate<T> {
  return (event) => fits(event.object) || (event.type === 'update' && fits(event.old));
}

/**
 * Passes events whose object has the labels, including updates that removed the labels.
 * @throws LabelSelectorError if the selector is invalid.
 */
export function labelsMatch<T>(selector: string | LabelSelectorObject): Predicate<T> {
  const parsed = typeof selector === 'string' ? LabelSelector.parse(selector) : LabelSelector.ofObject(selector);
  return objectMatches((view) => parsed.matches(view.labels));
}

/**
 * Passes an event if all predicates do.
 *
 * @example
 * ```ts
 * const meaningful = and(generationChanged(), not(labelsMatch('paused=true')));
 * ```
 */
export function and<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/**
 * Passes an event if any predicate does.
 *
 * @example
 * ```ts
 * const changed = or(generationChanged(), labelChanged(), annotationChanged());
 * ```
 */
export function or<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Passes an event if `predicate` does not, for creates and deletes too. */
export function not<T>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

function onUpdate<T>(changed: (old: ObjectView<T>, now: ObjectView<T>) => boolean): Predicate<T> {
  return (event) => event.type !== 'update' || changed(event.old, event.object);
}

function sameEntries(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key]);
}
