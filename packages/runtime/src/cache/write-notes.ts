import {
  apiVersionOf,
  isNotFound,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
  objectKey,
  parseApiVersion,
  type Status,
  StatusError,
} from '@kubewright/apimachinery';
import type { CallTarget, WriteObserver, WriteOutcome } from '@kubewright/client/internal';
import type { Informer } from './informer.ts';

type ClientWrite = Parameters<WriteObserver>[0];

/** Options for {@link WriteNotes}. */
export interface WriteNotesOptions {
  /** Returns the declared kinds that a call targets, one for each cached version of the resource. */
  readonly kindsOf: (target: CallTarget) => readonly Kind<KubernetesObject>[];
  /** Returns the informers whose scope covers the key. */
  readonly informersOf: (kind: Kind<KubernetesObject>, key: ObjectKey) => readonly Informer<KubernetesObject>[];
}

/** Subresources that do not change their object. */
const harmless: ReadonlySet<string> = new Set(['token', 'exec', 'attach', 'portforward', 'proxy', 'log']);

/**
 * Records a client's writes in the informers, so that reads are never older than the writes. If a response does not
 * show the resulting object (an eviction, a binding, a lost connection), the object is marked as uncertain, because
 * only the server knows its state.
 */
export class WriteNotes {
  readonly #options: WriteNotesOptions;

  constructor(options: WriteNotesOptions) {
    this.#options = options;
  }

  readonly observer: WriteObserver = (write) => {
    const kinds = this.#options.kindsOf(write.target);
    if (kinds.length === 0 || harmless.has(write.target.subresource ?? '')) return undefined;
    const observers = kinds.map((kind) => this.#observe(kind, write));
    return (outcome) => {
      for (const observe of observers) observe(outcome);
    };
  };

  #observe(kind: Kind<KubernetesObject>, write: ClientWrite): (outcome: WriteOutcome) => void {
    if (write.verb === 'deletecollection') return this.#collection(kind, write);
    const { key } = write;
    if (write.verb !== 'delete' || !key || write.target.subresource !== undefined) {
      return (outcome) => this.#object(kind, { write, outcome });
    }
    const informers = this.#options.informersOf(kind, key);
    const removals = informers.map((informer) => informer.ownWrites.deleting());
    const uid = write.uid ?? informers.map((informer) => informer.presentUid(key)).find((each) => each !== undefined);
    return (outcome) => {
      this.#deletion(kind, { key, uid, outcome });
      for (const removal of removals) removal[Symbol.dispose]();
    };
  }

  /** Records an object from the server's response, which may be in another API version than the cached object. */
  wrote(kind: Kind<KubernetesObject>, object: KubernetesObject): void {
    const key = objectKey(object);
    const { uid = '', resourceVersion = '' } = object.metadata;
    if (isGoneWith(object)) {
      this.deleted(kind, { key, uid });
      return;
    }
    const isConverted = object.apiVersion !== apiVersionOf(kind);
    for (const informer of this.#options.informersOf(kind, key)) {
      if (isConverted) informer.noteConverted(key, { uid, resourceVersion });
      else informer.noteWrite(object);
    }
  }

  deleted(kind: Kind<KubernetesObject>, options: { readonly key: ObjectKey; readonly uid: string }): void {
    for (const informer of this.#options.informersOf(kind, options.key)) {
      informer.noteDeletion(options.key, options.uid);
    }
  }

  #object(kind: Kind<KubernetesObject>, call: { readonly write: ClientWrite; readonly outcome: WriteOutcome }): void {
    const { outcome, write } = call;
    if (hadNoEffect(outcome)) return;
    if ('response' in outcome && isObjectOf(kind, outcome.response)) this.wrote(kind, outcome.response);
    else if (write.key) this.#uncertain(kind, write.key);
  }

  #deletion(
    kind: Kind<KubernetesObject>,
    what: { readonly key: ObjectKey; readonly uid: string | undefined; readonly outcome: WriteOutcome },
  ): void {
    const { key, uid, outcome } = what;
    if ('error' in outcome) {
      if (isNotFound(outcome.error) && uid !== undefined) this.deleted(kind, { key, uid });
      else if (!hadNoEffect(outcome)) this.#uncertain(kind, key);
      return;
    }
    const { response: reply } = outcome;
    if (isObjectOf(kind, reply)) {
      // An object that still exists has a deletionTimestamp; for some kinds, the response contains the object although
      // it was deleted.
      if (reply.metadata.deletionTimestamp) this.wrote(kind, reply);
      else this.deleted(kind, { key, uid: reply.metadata.uid ?? uid ?? '' });
      return;
    }
    const gone = (reply as Partial<Status> | undefined)?.details?.uid ?? uid;
    if (gone === undefined) this.#uncertain(kind, key);
    else this.deleted(kind, { key, uid: gone });
  }

  #collection(kind: Kind<KubernetesObject>, write: ClientWrite): (outcome: WriteOutcome) => void {
    const { namespace } = write.target;
    const where = namespace === undefined ? { name: '' } : { namespace, name: '' };
    // Objects that the watch shows as removed before the response arrives are not uncertain.
    const removals = this.#options.informersOf(kind, where).map((informer) => informer.ownWrites.deleting());
    return (outcome) => {
      if (!hadNoEffect(outcome)) this.#collectionDeleted(kind, { where, outcome });
      for (const removal of removals) removal[Symbol.dispose]();
    };
  }

  /** Records a collection deletion, whose response shows the objects as they were before the deletion. */
  #collectionDeleted(
    kind: Kind<KubernetesObject>,
    call: { readonly where: ObjectKey; readonly outcome: WriteOutcome },
  ): void {
    const { outcome, where } = call;
    const items =
      'response' in outcome ? (outcome.response as { readonly items?: unknown } | undefined)?.items : undefined;
    if (Array.isArray(items)) {
      for (const item of items as readonly KubernetesObject[]) {
        const { uid = '', resourceVersion = '' } = item.metadata;
        const key = objectKey(item);
        for (const informer of this.#options.informersOf(kind, key)) {
          informer.noteUncertainDeletion(key, { uid, resourceVersion });
        }
      }
      return;
    }
    const { namespace } = where;
    for (const informer of this.#options.informersOf(kind, where)) {
      for (const view of informer.lister.views(namespace === undefined ? {} : { namespace })) {
        const { uid, resourceVersion } = view;
        informer.noteUncertainDeletion(view.key, { uid, resourceVersion });
      }
    }
  }

  #uncertain(kind: Kind<KubernetesObject>, key: ObjectKey): void {
    for (const informer of this.#options.informersOf(kind, key)) informer.ownWrites.uncertain(key);
  }
}

/** Reports whether the object is of the kind, in any version. */
function isObjectOf(kind: Kind<KubernetesObject>, value: unknown): value is KubernetesObject {
  if (typeof value !== 'object' || value === null || !('metadata' in value)) return false;
  const { apiVersion, kind: name } = value as Partial<KubernetesObject>;
  return name === kind.kind && parseApiVersion(apiVersion ?? '').group === kind.group;
}

/**
 * Reports whether the write itself removed the object: it was being deleted, and neither finalizers nor a grace period
 * keep it.
 */
function isGoneWith(
  object: KubernetesObject & { readonly spec?: { readonly finalizers?: readonly string[] } },
): boolean {
  const { deletionTimestamp, finalizers, deletionGracePeriodSeconds } = object.metadata;
  // Namespaces have finalizers in their spec too.
  const held = finalizers?.length || deletionGracePeriodSeconds || object.spec?.finalizers?.length;
  return deletionTimestamp !== undefined && !held;
}

/**
 * Reports whether the write certainly had no effect: it was not sent, or the server rejected it. After a lost response
 * or a server error, the effect is unknown.
 */
function hadNoEffect(outcome: WriteOutcome): boolean {
  if (!('error' in outcome)) return false;
  const { error, sent } = outcome;
  if (error instanceof StatusError) return error.httpStatus < 500;
  return !sent || (error as { readonly sent?: unknown } | undefined)?.sent === false;
}
