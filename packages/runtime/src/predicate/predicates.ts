import type { ObjectView } from '../handler/object-view.ts';
import type { Predicate } from './predicate.ts';

/** Lets updates through that changed `metadata.generation`, that is the spec; creates and deletes always. */
export function generationChanged<T>(): Predicate<T> {
  return onUpdate((old, now) => old.generation !== now.generation);
}

/** Lets updates through that changed a label; creates and deletes always. */
export function labelChanged<T>(): Predicate<T> {
  return onUpdate((old, now) => !sameEntries(old.labels, now.labels));
}

/** Lets updates through that changed an annotation; creates and deletes always. */
export function annotationChanged<T>(): Predicate<T> {
  return onUpdate((old, now) => !sameEntries(old.annotations, now.annotations));
}

/** Lets updates through that changed anything; keeps replays of an unchanged object out. */
export function resourceVersionChanged<T>(): Predicate<T> {
  return onUpdate((old, now) => old.resourceVersion !== now.resourceVersion);
}

/** Lets an event through if all do. */
export function and<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Lets an event through if one does. */
export function or<T>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Lets an event through if `predicate` does not; that holds for creates and deletes too. */
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
