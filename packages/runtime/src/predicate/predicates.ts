import { LabelSelector, type LabelSelectorObject } from '@kubewright/apimachinery';
import type { CreateEvent, DeleteEvent, GenericEvent, UpdateEvent } from '../handler/events.ts';
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

/** Which events pass, by type; those without a function do. */
export interface PredicateFuncs<T> {
  create?(event: CreateEvent<T>): boolean;
  update?(event: UpdateEvent<T>): boolean;
  delete?(event: DeleteEvent<T>): boolean;
  generic?(event: GenericEvent<T>): boolean;
}

/** Makes a predicate of one function a type of event. */
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
 * Lets events through whose object fits. An update passes if the old or the new object does: that an object has ceased to
 * fit is news (upstream's looks at the new one alone).
 */
export function objectMatches<T>(fits: (object: ObjectView<T>) => boolean): Predicate<T> {
  return (event) => fits(event.object) || (event.type === 'update' && fits(event.old));
}

/**
 * Lets events through whose object has the labels; an update also when it has lost them.
 *
 * @throws LabelSelectorError when the selector cannot be read.
 */
export function labelsMatch<T>(selector: string | LabelSelectorObject): Predicate<T> {
  const parsed = typeof selector === 'string' ? LabelSelector.parse(selector) : LabelSelector.ofObject(selector);
  return objectMatches((view) => parsed.matches(view.labels));
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
