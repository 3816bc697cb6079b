import { setTimeout as wait } from 'node:timers/promises';
import type { ParityKind } from '../parity-kinds.ts';
import type { ParityServer } from '../parity-target.ts';
import { createNamespace } from './play-sequence.ts';
import { type SequenceWrite, sequenceKind, writeRequest } from './sequence.ts';

/** The object that is written. No sequence uses this name and number. */
const beating = { seed: 0, name: 'z' };

/**
 * Writes an object of a kind several times per second until disposed of. kube-apiserver sends a bookmark only if it has
 * seen a newer version of the kind since the watch started. Without other writes, the watches of a sequence would end
 * without a bookmark.
 */
export async function keepWriting(place: {
  readonly server: ParityServer;
  readonly kind: ParityKind;
}): Promise<AsyncDisposable> {
  const { server } = place;
  const kind = sequenceKind(place.kind, beating.seed);
  if (kind.namespace) await createNamespace(server, kind.namespace);
  const send = async (write: SequenceWrite): Promise<void> => {
    const { status, text } = await server.send(writeRequest(write, { kind, seed: beating.seed, live: {} }));
    if (status >= 300) throw new Error(`cannot write ${kind.id} repeatedly: ${status} ${text}`);
  };
  await send({ verb: 'create', name: beating.name });
  const stopped = new AbortController();
  const beat = async (): Promise<void> => {
    for (let count = 1; !stopped.signal.aborted; count++) {
      await send({
        verb: 'merge',
        name: beating.name,
        changes: [{ path: ['metadata', 'annotations'], value: { beat: String(count) } }],
      });
      await wait(250, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  };
  const beats = beat();
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort();
      await beats;
    },
  };
}
