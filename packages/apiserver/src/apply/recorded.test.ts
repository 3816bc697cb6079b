import { readFileSync } from 'node:fs';
import { FieldSet, sameJson } from '@kubewright/apimachinery/internal';
import type { JsonSchema } from '@kubewright/schema';
import { compileStructuralSchema } from '@kubewright/schema';
import { builtinSchema, decodeValue, isRecord } from '@kubewright/schema/internal';
import { describe, expect, it } from 'vitest';
import { ApplyConflictError } from './apply-conflict-error.ts';
import { applyPatch } from './apply-patch.ts';
import { ApplyRequestError } from './apply-request-error.ts';
import { applyTypeOf, type KindType } from './apply-type.ts';
import { trackUpdate } from './track-update.ts';

type Plain = Readonly<Record<string, unknown>>;
interface Step {
  readonly op: 'apply' | 'update' | 'merge' | 'create';
  readonly manager?: string;
  readonly agentName?: string;
  readonly force?: boolean;
  readonly subresource?: string;
  /** The stored object before the step, if others have written since the previous step. */
  readonly live?: Plain;
  readonly sent?: Plain;
  readonly code: number;
  readonly date: string;
  readonly object?: Plain;
  readonly message?: string;
  readonly causes?: readonly unknown[];
}
interface Sequence {
  readonly name: string;
  /** True if the server does not default or change objects of this kind, so that merged objects must equal stored objects. */
  readonly exact: boolean;
  readonly steps: readonly Step[];
}

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`testdata/${name}`, import.meta.url), 'utf8'));
const sequences = read('recorded.json') as readonly Sequence[];
const { crd } = read('cases.json') as { crd: { spec: { versions: [{ schema: { openAPIV3Schema: JsonSchema } }] } } };
const objectMeta = builtinSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
const widget = compileStructuralSchema(crd.spec.versions[0].schema.openAPIV3Schema, {
  compilePattern: (pattern) => new RegExp(pattern),
  objectMeta,
});

const types = new Map<string, KindType>();
function typeOf(object: Plain): KindType {
  const version = String(object['apiVersion']);
  const [group, bare] = version.includes('/') ? version.split('/') : ['', version];
  const kind = String(object['kind']);
  let type = types.get(kind);
  if (type === undefined) {
    const node = kind === 'Widget' ? widget.node : builtinSchema({ group: group ?? '', version: bare ?? '', kind });
    if (node === undefined) throw new Error(`no schema for ${version} ${kind}`);
    type = applyTypeOf(node, { typed: kind !== 'Widget' });
    types.set(kind, type);
  }
  return type;
}

const entriesOf = (object: Plain | undefined): readonly Plain[] => {
  const metadata = object?.['metadata'];
  return isRecord(metadata) ? ((metadata['managedFields'] as readonly Plain[] | undefined) ?? []) : [];
};

/**
 * Returns the second in which the server processed the step: the time that it wrote into an entry, or else the date of
 * the response. On a busy machine, the response can arrive seconds later.
 */
function nowOf(step: Step, live: Plain | undefined): string {
  const before = entriesOf(live).map((entry) => entry['time']);
  const written = entriesOf(step.object).map((entry) => entry['time']);
  const added = written.find((time) => typeof time === 'string' && !before.includes(time));
  const answered = new Date(step.date).getTime();
  const seconds = [0, -1000].map((shift) => new Date(answered + shift).toISOString().replace('.000', ''));
  return (added ?? seconds.find((second) => written.includes(second)) ?? seconds[0]) as string;
}

function resetFieldsOf(object: Plain, subresource: string): FieldSet | undefined {
  const kind = object['kind'];
  if (kind !== 'Deployment' && kind !== 'Widget' && kind !== 'Pod' && kind !== 'Service') return undefined;
  if (subresource === '') return FieldSet.of(['f:status']);
  if (kind === 'Widget') return FieldSet.of(['f:spec'], ['f:metadata']);
  if (kind === 'Deployment') return FieldSet.of(['f:spec'], ['f:metadata', 'f:labels']);
  return FieldSet.of(['f:spec'], ['f:metadata', 'f:deletionTimestamp'], ['f:metadata', 'f:ownerReferences']);
}

const serverFields = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'generation',
  'managedFields',
  'namespace',
  'name',
];
function comparable(object: Plain, subresource: string): Plain {
  // A subresource endpoint uses only its own part of the merged object.
  if (subresource !== '') return { [subresource]: object[subresource] };
  const metadata: Record<string, unknown> = { ...(object['metadata'] as Plain) };
  for (const field of serverFields) delete metadata[field];
  const { metadata: _, status: __, ...rest } = object;
  return { ...rest, metadata };
}

/** Decodes an object of a built-in kind, as the server does after the merge: quantities become canonical. */
function decoded(object: Plain): Plain {
  const version = String(object['apiVersion']);
  const [group, bare] = version.includes('/') ? version.split('/') : ['', version];
  const node = builtinSchema({ group: group ?? '', version: bare ?? '', kind: String(object['kind']) });
  return node === undefined ? object : (decodeValue(node, object).value as Plain);
}

describe('applyPatch and trackUpdate match kube-apiserver 1.36', () => {
  it.each(sequences.map((sequence) => [sequence.name, sequence] as const))('%s', (_, { steps, exact }) => {
    let live: Plain | undefined;
    for (const [i, step] of steps.entries()) {
      live = step.live ?? live;
      const subresource = step.subresource ?? '';
      const object = step.object ?? step.sent ?? {};
      const manager = step.manager ?? step.agentName?.split('/')[0] ?? 'recorder';
      const at = `step ${i}: ${step.op} by ${manager}`;
      if (step.op === 'apply') {
        if (manager === '' || step.manager === undefined) continue; // rejected before the merge
        const base = {
          type: typeOf(step.sent?.['apiVersion'] === 'v2' ? { apiVersion: 'v1', kind: 'ConfigMap' } : object),
          apiVersion: String((live ?? object)['apiVersion']) === 'v2' ? 'v1' : String((live ?? object)['apiVersion']),
          resetFields: resetFieldsOf(object, subresource),
        };
        const request = {
          ...base,
          live,
          applied: step.sent ?? {},
          manager,
          force: step.force,
          subresource,
          now: nowOf(step, live),
        };
        if (step.code >= 300) {
          let thrown: unknown;
          try {
            applyPatch(request);
          } catch (error) {
            thrown = error;
          }
          if (step.code === 409) {
            expect(thrown, at).toBeInstanceOf(ApplyConflictError);
            const { causes, message } = thrown as ApplyConflictError;
            expect(message.split('\n').sort(), at).toEqual(step.message?.split('\n').sort());
            expect(new Set(causes), at).toEqual(new Set(step.causes));
          } else if (!/invalid: /.test(step.message ?? '')) {
            expect(thrown, `${at}: ${step.message}`).toBeInstanceOf(ApplyRequestError);
            expect((thrown as ApplyRequestError).message, at).toBe(step.message);
            expect((thrown as ApplyRequestError).httpStatus, at).toBe(step.code);
          }
          continue;
        }
        const applied = applyPatch(request);
        expect(applied.managedFields, at).toEqual(entriesOf(step.object));
        const stored = comparable(step.object ?? {}, subresource);
        const merged = comparable(applied.object, subresource);
        if (exact) {
          const tidy = (value: Plain): Plain =>
            object['kind'] === 'Widget' ? (widget.applyDefaults(value) as Plain) : value;
          expect(tidy(merged), at).toEqual(stored);
        } else expect(stored, at).toMatchObject(decoded(merged));
        if (!applied.changed && sameJson(entriesOf(live), applied.managedFields)) {
          expect(step.object?.['metadata'], at).toEqual(live?.['metadata']);
        }
      } else if (step.code < 300 && step.object !== undefined) {
        const resets = isRecord(step.sent?.['metadata']) ? step.sent['metadata']['managedFields'] : undefined;
        const sentEntries = step.op === 'update' ? undefined : resets;
        const next = withEntries(step.object, sentEntries ?? (cleared(step, live) ? [] : undefined));
        const tracked = trackUpdate({
          type: typeOf(object),
          apiVersion: String(object['apiVersion']),
          resetFields: resetFieldsOf(object, subresource),
          live,
          object: replaced(step, live) ?? next,
          manager: step.manager ?? manager,
          subresource,
          now: nowOf(step, live),
        });
        expect(tracked, at).toEqual(entriesOf(step.object));
      }
      live = step.object ?? live;
    }
  });
});

function withEntries(object: Plain, entries: unknown): Plain {
  const { managedFields: _, ...metadata } = object['metadata'] as Plain;
  return { ...object, metadata: entries === undefined ? metadata : { ...metadata, managedFields: entries } };
}

/** Returns true if an update cleared the entries. The recording lacks the bodies of updates, so the response decides. */
function cleared(step: Step, live: Plain | undefined): boolean {
  return step.op === 'update' && entriesOf(step.object).length === 0 && entriesOf(live).length > 0;
}

function replaced(step: Step, live: Plain | undefined): Plain | undefined {
  const entries = entriesOf(step.object);
  const foreign = entries.some((entry) => entry['manager'] === 'z' && entry['time'] === undefined);
  return foreign && !sameJson(entries, entriesOf(live)) ? step.object : undefined;
}
