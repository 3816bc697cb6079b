import { sameJson } from '@kubewright/apimachinery/internal';
import type { SchemaNode } from '@kubewright/schema/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApplyConflictError } from './apply-conflict-error.ts';
import { type Applied, applyPatch } from './apply-patch.ts';
import { applyTypeOf } from './apply-type.ts';
import type { ManagedFieldsRecord } from './managers.ts';
import { trackUpdate } from './track-update.ts';

type Plain = Readonly<Record<string, unknown>>;

const string: SchemaNode = { type: 'string' };
const object = (properties: Record<string, SchemaNode>): SchemaNode => ({
  type: 'object',
  properties: new Map(Object.entries(properties)),
});
const spec = object({
  text: string,
  set: { type: 'array', listType: 'set', items: string },
  atomic: { type: 'array', items: string },
  list: {
    type: 'array',
    listType: 'map',
    listMapKeys: ['name'],
    items: object({ name: string, a: string, b: string }),
  },
  labels: { type: 'object', additionalProperties: string },
  inner: object({ x: string, y: string }),
});
const type = applyTypeOf(object({ apiVersion: string, kind: string, metadata: { type: 'any' }, spec }));

const word = fc.constantFrom('p', 'q', 'r');
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const config = fc
  .record({
    text: maybe(word),
    set: maybe(fc.uniqueArray(word)),
    atomic: maybe(fc.array(word, { maxLength: 2 })),
    list: maybe(
      fc.uniqueArray(fc.record({ name: word, a: maybe(word), b: maybe(word) }), { selector: (item) => item.name }),
    ),
    labels: maybe(fc.dictionary(word, word)),
    inner: maybe(fc.record({ x: maybe(word), y: maybe(word) })),
  })
  .map((fields): Plain => JSON.parse(JSON.stringify({ apiVersion: 'v1', kind: 'T', spec: fields })) as Plain);

const store = ({ object: applied, managedFields }: Applied): Plain => ({ ...applied, metadata: { managedFields } });
const apply = (live: Plain | undefined, applied: Plain, manager: string, force = false): Applied =>
  applyPatch({ type, apiVersion: 'v1', live, applied, manager, force, subresource: '', now: '2026-01-01T00:00:00Z' });
const entriesOf = (live: Plain): readonly ManagedFieldsRecord[] =>
  (live['metadata'] as { managedFields: readonly ManagedFieldsRecord[] }).managedFields;
const specOf = (live: Plain): unknown => live['spec'];

describe('applyPatch', () => {
  it('changes nothing when applied twice', () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const live = store(apply(store(apply(undefined, first, 'a')), second, 'b', true));
        const again = apply(live, second, 'b');
        expect(again.changed).toBe(false);
        expect(again.managedFields).toEqual(entriesOf(live));
      }),
    );
  });

  it('removes every field that its sole owner omits', () => {
    fc.assert(
      fc.property(config, (applied) => {
        const live = store(apply(undefined, applied, 'a'));
        const { object: emptied, managedFields } = apply(live, { apiVersion: 'v1', kind: 'T' }, 'a');
        expect(specOf(emptied)).toBeUndefined();
        expect(managedFields).toEqual([]);
      }),
    );
  });

  it('keeps the values and the ownership of other managers without force', () => {
    fc.assert(
      fc.property(config, config, (mine, theirs) => {
        // Once a map or list loses the last field that another manager added, Kubernetes also removes the empty map or list and its
        // entry.
        fc.pre(!/\{\}|\[\]/.test(JSON.stringify(theirs)));
        const live = store(apply(undefined, theirs, 'theirs'));
        let both: Plain;
        try {
          both = store(apply(live, mine, 'mine'));
        } catch (error) {
          expect(error).toBeInstanceOf(ApplyConflictError);
          expect((error as ApplyConflictError).causes.length).toBeGreaterThan(0);
          return;
        }
        const left = apply(both, { apiVersion: 'v1', kind: 'T' }, 'mine');
        // Removing all fields of one manager leaves the other manager's fields unchanged.
        expect(sorted(specOf(left.object) ?? {})).toEqual(sorted(specOf(live) ?? {}));
        expect(left.managedFields).toEqual(entriesOf(live));
      }),
    );
  });

  it('applies all its values without a conflict if forced', () => {
    fc.assert(
      fc.property(config, config, (theirs, mine) => {
        const live = store(apply(store(apply(undefined, theirs, 'theirs')), mine, 'mine', true));
        expect(apply(live, mine, 'mine').changed).toBe(false);
      }),
    );
  });

  it('does not change its inputs', () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const live = store(apply(undefined, first, 'a'));
        const before = JSON.stringify([live, second]);
        apply(live, second, 'a', true);
        expect(JSON.stringify([live, second])).toBe(before);
      }),
    );
  });
});

describe('trackUpdate', () => {
  const track = (live: Plain | undefined, next: Plain, manager: string): readonly ManagedFieldsRecord[] =>
    trackUpdate({ type, apiVersion: 'v1', live, object: next, manager, subresource: '', now: '2026-01-01T00:00:00Z' });

  it('assigns changed fields to the updater once, and changes no entry if nothing changed', () => {
    fc.assert(
      fc.property(config, config, (first, second) => {
        const live = store(apply(undefined, first, 'a'));
        const next = { ...second, metadata: live['metadata'] };
        const entries = track(live, next, 'u');
        if (sameJson(specOf(live) ?? {}, specOf(next) ?? {})) expect(entries).toEqual(entriesOf(live));
        const stored = { ...next, metadata: { managedFields: entries } };
        if (entries.length > 0) expect(track(stored, stored, 'other')).toEqual(entries);
      }),
    );
  });
});

/** Sorts list elements and removes empty fields, because element order has no owner and built-in kinds drop emptied fields. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, sorted(item)] as const);
  return Object.fromEntries(
    fields.filter(([, item]) => JSON.stringify(item) !== '{}' && JSON.stringify(item) !== '[]'),
  );
}
