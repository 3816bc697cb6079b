import { isNotFound, type Stored } from '@kubewright/apimachinery';
import { PersistentVolume, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { StorageClass } from '@kubewright/apimachinery/storage/v1';
import {
  cached,
  enqueueForObject,
  enqueueMapped,
  type IndexFunc,
  type ReconcileOutcome,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { updateObject, updateStatus } from '../object-writes.ts';
import { isPodEnded } from '../pods/pod-state.ts';
import { byClaim, claimKey } from '../volumes/pod-claims.ts';
import { classOfClaim, classOfVolume, defaultClass } from '../volumes/storage-class.ts';
import { storageNames } from '../volumes/storage-names.ts';
import { claimBoundTo, unboundVolume, volumeBoundTo, withClaimPhase } from './binding.ts';
import { type ClaimEvent, claimStep } from './claim-step.ts';
import { volumeStep } from './volume-step.ts';

const component = 'persistentvolume-controller';
/** The interval at which pending claims are retried and their events repeated: upstream's resync interval. */
const resyncMs = 15_000;
/** The index value of claims that do not name a class. */
const noClass = '*none';

/** Indexes free volumes by class, and other volumes by the claim that they are reserved for or bound to. */
const byUse: IndexFunc<PersistentVolume> = ({ object }) => {
  const { namespace, name } = object.spec?.claimRef ?? {};
  return [name === undefined ? `class/${classOfVolume(object)}` : `claim/${namespace}/${name}`];
};

/** Indexes claims that are not bound yet by their class. */
const byPendingClass: IndexFunc<PersistentVolumeClaim> = ({ object }) =>
  object.metadata.annotations?.[storageNames.bindCompleted] === undefined ? [classOfClaim(object) ?? noClass] : [];

/**
 * Binds claims to volumes, requests missing volumes from provisioners, and releases volumes whose claims were deleted. Mirrors
 * the persistent volume controller (1.36), but has no volume plugins: external provisioners create and delete the volumes.
 */
export function volumeBinder(): BuiltInController {
  const events = new CoreEventRecorder(component);
  const account = 'persistent-volume-binder';
  return {
    account,
    definition: requestController({
      name: account,
      // A single worker, so that two claims never choose the same volume.
      maxConcurrentReconciles: 1,
      caches: [cached(Pod, { indexes: { claim: byClaim } })],
      watches: [
        watch(PersistentVolumeClaim, enqueueForObject(), { indexes: { pendingClass: byPendingClass } }),
        watch(
          PersistentVolumeClaim,
          enqueueMapped<PersistentVolumeClaim>(({ object }) => namedVolume(object)),
        ),
        watch(PersistentVolume, enqueueForObject(), { indexes: { use: byUse } }),
        watch(
          PersistentVolume,
          enqueueMapped<PersistentVolume>(({ object }) => referredClaim(object)),
        ),
        watch(
          StorageClass,
          enqueueMapped<StorageClass>(({ name }) => [{ name: `*${name}` }]),
        ),
      ],
      reconcile: (request, ctx) =>
        events.during(ctx, () => {
          const binder = new Binder(ctx, events);
          if (request.namespace) return binder.claim({ namespace: request.namespace, name: request.name });
          return request.name.startsWith('*') ? binder.class(request.name.slice(1)) : binder.volume(request.name);
        }),
    }),
  };
}

function namedVolume({ spec }: PersistentVolumeClaim): readonly { readonly name: string }[] {
  return spec?.volumeName ? [{ name: spec.volumeName }] : [];
}

function referredClaim({ spec }: PersistentVolume): readonly { readonly namespace: string; readonly name: string }[] {
  const { namespace, name } = spec?.claimRef ?? {};
  return namespace && name ? [{ namespace, name }] : [];
}

/** One reconcile: of a claim, of a volume, or of all claims that wait for a class. */
class Binder {
  readonly #ctx: RequestContext;
  readonly #events: CoreEventRecorder;

  constructor(ctx: RequestContext, events: CoreEventRecorder) {
    this.#ctx = ctx;
    this.#events = events;
  }

  async claim(key: { readonly namespace: string; readonly name: string }): Promise<ReconcileOutcome> {
    const claim = this.#ctx.cache.lister(PersistentVolumeClaim).get(key);
    if (claim) return this.#syncClaim(claim);
    const value = `claim/${key.namespace}/${key.name}`;
    for (const volume of this.#volumes(value)) await this.#syncVolume(volume);
    return undefined;
  }

  async volume(name: string): Promise<ReconcileOutcome> {
    const volume = this.#ctx.cache.lister(PersistentVolume).get({ name });
    if (!volume) return undefined;
    await this.#syncVolume(volume);
    const now = this.#ctx.cache.lister(PersistentVolume).get({ name });
    if (now?.status?.phase === 'Available' && !now.spec?.claimRef) await this.class(classOfVolume(now));
    return undefined;
  }

  /**
   * Retries the claims that wait for this class or its volumes, and the claims without a class, because this class may be the
   * default.
   */
  async class(name: string): Promise<undefined> {
    const lister = this.#ctx.cache.lister(PersistentVolumeClaim);
    for (const value of [name, noClass]) {
      for (const claim of lister.list({ index: { name: 'pendingClass', value } })) await this.#syncClaim(claim);
    }
  }

  async #syncClaim(claim: Stored<PersistentVolumeClaim>): Promise<ReconcileOutcome> {
    const step = claimStep(claim, this.#facts(claim));
    switch (step.step) {
      case 'bind':
        await this.#bind(step.volume, claim);
        return undefined;
      case 'lose':
        if (claim.status?.phase !== 'Lost') this.#note(await this.#setPhase(claim, 'Lost'), step.event);
        return undefined;
      case 'assignClass':
        await this.#updateClaim({ ...claim, spec: { ...claim.spec, storageClassName: step.storageClass } });
        return undefined;
      case 'provision':
        this.#note(await this.#setProvisioner(claim, step.provisioner), step.event);
        return { requeueAfterMs: resyncMs };
      case 'wait':
        if (step.event) this.#note(claim, step.event);
        await this.#setPhase(claim, 'Pending');
        return { requeueAfterMs: resyncMs };
    }
  }

  #facts(claim: PersistentVolumeClaim): Parameters<typeof claimStep>[1] {
    const { cache } = this.#ctx;
    const name = claim.spec?.volumeName;
    const className = classOfClaim(claim);
    const classes = cache.lister(StorageClass);
    return {
      named: name ? cache.lister(PersistentVolume).get({ name }) : undefined,
      volumes: [...this.#volumes(`claim/${claimKey(claim)}`), ...this.#volumes(`class/${className ?? ''}`)],
      storageClass: className ? classes.get({ name: className }) : undefined,
      defaultClass: className === undefined ? defaultClass(classes.list()) : undefined,
      unscheduledPods: cache
        .lister(Pod)
        .list({ index: { name: 'claim', value: claimKey(claim) } })
        .filter((pod) => !isPodEnded(pod) && !pod.spec?.nodeName)
        .map(({ metadata }) => metadata.name),
    };
  }

  /**
   * Binds a volume and a claim to each other. Writes the volume first, because its reference to the claim decides the binding.
   * Steps that are already done write nothing.
   */
  async #bind(given: Stored<PersistentVolume>, claim: Stored<PersistentVolumeClaim>): Promise<void> {
    let volume = volumeBoundTo(given, claim);
    if (volume !== given) volume = await this.#updateVolume(volume);
    await this.#setVolumePhase(volume, 'Bound');
    const wanted = claimBoundTo(claim, volume);
    const bound = wanted === claim ? claim : await this.#updateClaim(wanted);
    await this.#updateClaimStatus(bound, withClaimPhase(bound, { phase: 'Bound', volume }));
  }

  async #syncVolume(volume: Stored<PersistentVolume>): Promise<void> {
    const claim = await this.#claimOf(volume);
    const step = volumeStep(volume, claim);
    switch (step.step) {
      case 'setPhase':
        await this.#setVolumePhase(volume, step.phase);
        return;
      case 'release':
        await this.#release(volume, step.reclaim.failure);
        return;
      case 'unbind':
        await this.#setVolumePhase(await this.#updateVolume(unboundVolume(volume)), 'Available');
        return;
      case 'bindClaim':
        if (claim) await this.#syncClaim(claim);
        return;
      case 'reject':
        if (claim) this.#rejectMode(volume, claim);
    }
  }

  /**
   * Returns the claim that a volume refers to, or undefined if it no longer exists. Reads the claim live before a
   * volume is released, because the cache may be stale.
   */
  async #claimOf({ spec, status }: PersistentVolume): Promise<Stored<PersistentVolumeClaim> | undefined> {
    const { namespace = '', name = '', uid } = spec?.claimRef ?? {};
    if (!uid) return undefined;
    const known = this.#ctx.cache.lister(PersistentVolumeClaim).get({ namespace, name });
    if (known?.metadata.uid === uid) return known;
    if (!known && (status?.phase === 'Released' || status?.phase === 'Failed')) return undefined;
    const { client, signal } = this.#ctx;
    try {
      const live = await client.resource(PersistentVolumeClaim).get({ namespace, name }, { signal });
      return live.metadata.uid === uid ? live : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #release(
    volume: Stored<PersistentVolume>,
    failure: { readonly reason: string; readonly message: string } | undefined,
  ): Promise<void> {
    const { phase } = volume.status ?? {};
    // A volume that failed keeps the phase Failed.
    if (phase === 'Failed') return;
    const released = phase === 'Released' ? volume : await this.#setVolumePhase(volume, 'Released');
    if (!failure) return;
    const { reason, message } = failure;
    const failed = await this.#setVolumePhase(released, 'Failed', message);
    this.#note(failed, { type: 'Warning', reason, message });
  }

  #rejectMode(volume: Stored<PersistentVolume>, claim: Stored<PersistentVolumeClaim>): void {
    const [volumeName, claimName] = [volume, claim].map(({ metadata }) => JSON.stringify(metadata.name));
    const type = 'Warning';
    const reason = 'VolumeMismatch';
    const about = `Cannot bind PersistentVolume to requested PersistentVolumeClaim ${claimName} due to incompatible volumeMode.`;
    this.#note(volume, { type, reason, message: about });
    const message = `Cannot bind PersistentVolume ${volumeName} to requested PersistentVolumeClaim due to incompatible volumeMode.`;
    this.#note(claim, { type, reason, message });
  }

  #volumes(use: string): readonly Stored<PersistentVolume>[] {
    return this.#ctx.cache.lister(PersistentVolume).list({ index: { name: 'use', value: use } });
  }

  #setPhase(claim: Stored<PersistentVolumeClaim>, phase: 'Pending' | 'Lost'): Promise<Stored<PersistentVolumeClaim>> {
    return this.#updateClaimStatus(claim, withClaimPhase(claim, { phase }));
  }

  async #updateClaimStatus(
    before: Stored<PersistentVolumeClaim>,
    object: PersistentVolumeClaim,
  ): Promise<Stored<PersistentVolumeClaim>> {
    return object === before ? before : updateStatus(this.#ctx, { kind: PersistentVolumeClaim, object });
  }

  async #setProvisioner(claim: Stored<PersistentVolumeClaim>, name: string): Promise<Stored<PersistentVolumeClaim>> {
    if (claim.metadata.annotations?.[storageNames.provisioner] === name) return claim;
    const annotations = {
      ...claim.metadata.annotations,
      [storageNames.betaProvisioner]: name,
      [storageNames.provisioner]: name,
    };
    return this.#updateClaim({ ...claim, metadata: { ...claim.metadata, annotations } });
  }

  #updateClaim(object: PersistentVolumeClaim): Promise<Stored<PersistentVolumeClaim>> {
    return updateObject(this.#ctx, { kind: PersistentVolumeClaim, object });
  }

  #updateVolume(object: PersistentVolume): Promise<Stored<PersistentVolume>> {
    return updateObject(this.#ctx, { kind: PersistentVolume, object });
  }

  async #setVolumePhase(
    volume: Stored<PersistentVolume>,
    phase: NonNullable<NonNullable<PersistentVolume['status']>['phase']>,
    text?: string,
  ): Promise<Stored<PersistentVolume>> {
    if (volume.status?.phase === phase) return volume;
    const { message: _old, ...rest } = volume.status ?? {};
    const status = { ...rest, phase, ...defined({ message: text }) };
    return updateStatus(this.#ctx, { kind: PersistentVolume, object: { ...volume, status } });
  }

  #note(about: Stored<PersistentVolume> | Stored<PersistentVolumeClaim>, event: ClaimEvent): void {
    this.#events.record(this.#ctx, { about, ...event });
  }
}
