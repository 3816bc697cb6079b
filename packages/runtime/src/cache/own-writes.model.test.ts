import type { KubernetesObject } from '@kubewright/apimachinery';
import type { WriteOutcome } from '@kubewright/client/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runsAtScale, timeoutAtScale } from '../testdata/model-scale.ts';
import { type Flaw, isFitting, keys, naive, real, type Subject, VersionedServer } from './testdata/write-subjects.ts';

// Compares reads after own writes with a plain model of a server that keeps history. Not covered: servers whose versions are not
// numbers (those reads go live), writes that bypass the client, and programs that keep a result and read it later.

type Command =
  /** This program writes: the write takes effect now; its response is read later, or never. */
  | {
      readonly type: 'write';
      readonly key: number;
      readonly verb: 'put' | 'status' | 'delete' | 'evict';
      readonly fits: boolean;
    }
  | { readonly type: 'answer'; readonly pick: number; readonly lost: boolean }
  | { readonly type: 'other'; readonly key: number; readonly verb: 'put' | 'delete'; readonly fits: boolean }
  | { readonly type: 'watch'; readonly events: number }
  /** The server repeats events it has already sent. */
  | { readonly type: 'repeat'; readonly events: number }
  | { readonly type: 'bookmark' }
  /** A gap in the watch: a list at some later version recovers the missed events. */
  | { readonly type: 'relist'; readonly behind: number }
  /** The server is restored from a backup and reuses versions. */
  | { readonly type: 'restore'; readonly lost: number };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      key: fc.nat(2),
      verb: fc.constantFrom('put' as const, 'put' as const, 'status' as const, 'delete' as const, 'evict' as const),
      fits: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('answer' as const),
      pick: fc.nat(5),
      lost: fc.nat(9).map((n) => n === 0),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('other' as const),
      key: fc.nat(2),
      verb: fc.constantFrom('put' as const, 'delete' as const),
      fits: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('watch' as const), events: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('repeat' as const), events: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('bookmark' as const) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('relist' as const), behind: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('restore' as const), lost: fc.integer({ min: 1, max: 3 }) }) },
);

/** Runs the commands against the server model and the subject, and compares the two after each command. */
class Comparison {
  readonly server = new VersionedServer();
  readonly #subject: Subject;
  readonly #selecting: boolean;
  readonly #pending: {
    readonly name: string;
    readonly version: number;
    readonly answer: unknown;
    readonly report: (outcome: WriteOutcome) => void;
  }[] = [];
  /** The version up to which the watch has delivered all changes. */
  #shown = 0;
  /** The version that events, lists and bookmarks have shown to the subject. */
  #seen = 0;
  /** The newest version of each key for which this program has read the response to its write. */
  readonly #known = new Map<string, number>();
  /** Keys that a write left in an unknown state. */
  readonly #mayAsk = new Set<string>();
  /** The version of each key that this program wrote outside the selector, until the watch shows the object again. */
  readonly #outside = new Map<string, number>();

  constructor(subject: Subject, selecting: boolean) {
    this.#subject = subject;
    this.#selecting = selecting;
  }

  run(commands: readonly Command[]): void {
    for (const each of commands) {
      this.#do(each);
      for (const name of keys) this.#compare(name);
    }
  }

  #do(each: Command): void {
    switch (each.type) {
      case 'write':
        this.#write(each);
        return;
      case 'answer':
        this.#answer(each);
        return;
      case 'other':
        if (each.verb === 'put') this.server.put(keys[each.key]!, each.fits);
        else this.server.delete(keys[each.key]!);
        return;
      case 'watch':
        for (let i = 0; i < each.events && this.#shown < this.server.version; i++) this.#show(++this.#shown);
        return;
      case 'repeat':
        for (let at = Math.max(this.#shown - each.events, 0) + 1; at <= this.#shown; at++) this.#show(at);
        return;
      case 'bookmark':
        this.#subject.bookmark(this.#shown);
        this.#seen = this.#shown;
        return;
      case 'relist': {
        this.#shown = Math.max(this.#shown, this.server.version - each.behind);
        this.#seen = this.#shown;
        const objects = [...this.server.states[this.#shown]!.values()];
        const listed = this.#selecting ? objects.filter(isFitting) : objects;
        this.#subject.list(listed, this.#shown);
        for (const each of listed) this.#isInside(each);
        return;
      }
      case 'restore':
        this.#restore(Math.max(this.#shown - each.lost, 0));
        return;
    }
  }

  /** Data loss is visible only if the restored server is older than a version it has already shown. */
  #restore(version: number): void {
    if (version >= this.#seen) return;
    this.server.states.length = version + 1;
    this.server.changes.length = version + 1;
    this.#pending.length = 0;
    this.#known.clear();
    this.#outside.clear();
    this.#shown = version;
    this.#do({ type: 'relist', behind: 0 });
  }

  #write({ key, verb, fits }: Command & { readonly type: 'write' }): void {
    const name = keys[key]!;
    if (verb === 'evict' || verb === 'delete') this.#mayAsk.add(name);
    const exists = this.server.states[this.server.version]!.has(name);
    if (verb === 'put') {
      const report = this.#subject.begin({ verb: exists ? 'update' : 'create', name });
      const answer = this.server.put(name, fits);
      this.#pending.push({ name, version: this.server.version, answer, report });
    } else if (exists && verb === 'status') {
      const report = this.#subject.begin({ verb: 'update', name, subresource: 'status' });
      const answer = this.server.put(name, isFitting(this.server.states[this.server.version]!.get(name)!));
      this.#pending.push({ name, version: this.server.version, answer, report });
    } else if (exists) {
      const report = this.#subject.begin(
        verb === 'evict' ? { verb: 'create', name, subresource: 'eviction' } : { verb: 'delete', name },
      );
      const gone = this.server.delete(name)!;
      const details = verb === 'evict' ? {} : { details: { uid: gone.metadata.uid } };
      const answer = { kind: 'Status', apiVersion: 'v1', status: 'Success', ...details };
      this.#pending.push({ name, version: this.server.version, answer, report });
    }
  }

  #answer({ pick, lost }: Command & { readonly type: 'answer' }): void {
    const [call] = this.#pending.length === 0 ? [] : this.#pending.splice(pick % this.#pending.length, 1);
    if (!call) return;
    // A lost response raises the known version too: only the server knows the state, so reads must query the server.
    this.#known.set(call.name, Math.max(call.version, this.#known.get(call.name) ?? 0));
    if (lost) this.#mayAsk.add(call.name);
    else if (this.#selecting && isLabeled(call.answer) && !isFitting(call.answer)) {
      this.#outside.set(call.name, Math.max(call.version, this.#outside.get(call.name) ?? 0));
    }
    call.report(lost ? { error: new Error('lost'), sent: true } : { response: structuredClone(call.answer) });
  }

  #show(version: number): void {
    const { type, object } = this.server.changes[version]!;
    const seen = (): void => {
      this.#seen = Math.max(this.#seen, version);
    };
    if (!this.#selecting) {
      if (type === 'PUT') this.#subject.put(object);
      else this.#subject.remove(object);
      seen();
      return;
    }
    const before = this.server.states[version - 1]!.get(object.metadata.name!);
    if (type === 'PUT' && isFitting(object)) {
      this.#subject.put(object);
      this.#isInside(object);
    } else if (before && isFitting(before)) this.#subject.remove(object);
    else return;
    seen();
  }

  /**
   * Forgets that an object was moved out of the selector, once the watch has shown the object at the version of the
   * move or later.
   */
  #isInside({ metadata: { name = '', resourceVersion } }: KubernetesObject): void {
    if (Number(resourceVersion) >= (this.#outside.get(name) ?? 0)) this.#outside.delete(name);
  }

  /** A read must return the object as it was at the oldest allowed version or later. */
  #compare(name: string): void {
    const got = this.#subject.get(name);
    if (got === 'ask') {
      if (!this.#mayAsk.has(name) && !this.#outside.has(name)) throw new Error(`asks for ${name} without need`);
      return;
    }
    const oldest = Math.max(this.#shown, this.#known.get(name) ?? 0);
    const allowed = new Set<string | undefined>();
    for (let version = oldest; version <= this.server.version; version++) {
      const object = this.server.states[version]!.get(name);
      allowed.add(object && (!this.#selecting || isFitting(object)) ? object.metadata.resourceVersion : undefined);
    }
    if (!allowed.has(got))
      throw new Error(`read ${name} at ${got}, allowed since ${oldest}: ${[...allowed].join(', ')}`);
    const listed = this.#subject.names().includes(name);
    if (listed !== (got !== undefined)) throw new Error(`${name}: list and get differ`);
  }
}

function isLabeled(answer: unknown): answer is KubernetesObject {
  return (answer as Partial<KubernetesObject>).metadata !== undefined;
}

function comparison(make: (selecting: boolean) => Subject): fc.IProperty<[Command[], boolean]> {
  return fc.property(fc.array(command, { minLength: 5, maxLength: 40 }), fc.boolean(), (commands, selecting) => {
    new Comparison(make(selecting), selecting).run(commands);
  });
}

describe('reads after own writes', () => {
  it(
    'are never older than anything written or shown, even with late, repeated or missing events',
    () => {
      fc.assert(comparison(real), { numRuns: runsAtScale(10_000) });
    },
    timeoutAtScale(120_000),
  );

  it.each<Flaw>(['remembers nothing', 'forgets a write at the next event of its key', 'never forgets a deletion'])(
    'return old versions with a cache that %s',
    (flaw) => {
      const { failed, numRuns } = fc.check(
        comparison(() => naive(flaw)),
        { numRuns: 2_000 },
      );
      expect(failed, `not noticed in ${numRuns} runs`).toBe(true);
    },
  );
});
