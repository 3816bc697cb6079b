import { readFileSync } from 'node:fs';
import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import type { Draft } from '@kubewright/apiserver';
import type { StrategyContext } from '@kubewright/apiserver/internal';
import { describe, expect, it } from 'vitest';
import { builtinDefaults } from './builtin-defaults.ts';
import { builtinKinds } from './builtin-kinds.ts';
import { mainStrategy } from './builtin-strategy.ts';
import { WireTypes } from './wire/wire-types.ts';

interface Recorded {
  readonly resource: string;
  readonly sent: Draft;
  readonly stored: Draft;
}

const file = new URL('testdata/minimal.jsonl', import.meta.url);
const recorded = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Recorded);
const clock = new VirtualClock();
const random = seededRandom(1);
const kinds = builtinKinds({ clock, random });
const types = new WireTypes(builtinDefaults());
const context: StrategyContext = {
  user: { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'], extra: undefined },
  clock,
  random,
  dryRun: true,
  warn: () => {},
};

describe('builtin strategies', () => {
  it.each(recorded.map(({ resource, sent, stored }) => ({ resource, name: sent.metadata.name, sent, stored })))(
    'stores $resource $name as the real API server does',
    ({ resource, sent, stored }) => {
      const [group, version] = sent.apiVersion.includes('/') ? sent.apiVersion.split('/') : ['', sent.apiVersion];
      const kind = kinds.find((candidate) => candidate.resource === `${group}/${version}/${resource}`);
      if (!kind) throw new Error(`no definition of ${resource}`);
      const object = structuredClone(sent);
      const strategy = mainStrategy(kind, types);
      // The registry sets the UID and creation time.
      if (stored.metadata.uid) object.metadata.uid = stored.metadata.uid;
      strategy.applyDefaults?.(object);
      strategy.prepareForCreate?.(object, context);
      strategy.prepareForStorage?.(object);
      kind.addStoredDefaults?.(object as never); // only its kind's objects reach it
      const answered = kind.conversion?.fromStorage(kind.conversion.toStorage(object)) ?? object;
      expect(comparable(answered as Draft)).toEqual(comparable(stored));
    },
  );
});

/** Removes the fields set by the registry, and masks allocated values. */
function comparable(object: Draft): unknown {
  const { uid, creationTimestamp, generation, resourceVersion, namespace, ...metadata } = object.metadata;
  const copy = { ...structuredClone(object), metadata } as Draft & { spec?: Record<string, unknown>; status?: object };
  const text = JSON.stringify(copy, (key, value: unknown) => {
    if (key === 'nodePort' || key === 'healthCheckNodePort') return 30_000;
    if (key === 'lastPhaseTransitionTime' || (key === 'lastTransitionTime' && value)) return 'now';
    if (key === 'extra') return undefined;
    return value;
  });
  return JSON.parse(text.replaceAll(/"10\.96\.\d+\.\d+"/g, '"10.96.0.9"'));
}
