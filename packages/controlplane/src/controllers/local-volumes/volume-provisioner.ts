import { isAlreadyExists, Quantity, type Stored } from '@kubewright/apimachinery';
import { Node, PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { StorageClass } from '@kubewright/apimachinery/storage/v1';
import {
  type ControllerDefinition,
  enqueueForObject,
  enqueueMapped,
  type ReconcileOutcome,
  type RequestContext,
  requestController,
  watch,
} from '@kubewright/runtime';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { createObject, deleteObject, updateObject } from '../object-writes.ts';
import { messageOf } from '../pods/pod-control.ts';
import { needsExpansion, requestOf } from '../volumes/claim-size.ts';
import { classOfClaim } from '../volumes/storage-class.ts';
import { storageNames } from '../volumes/storage-names.ts';
import {
  isAllowed,
  isLocalVolume,
  isWaiting,
  localVolume,
  localVolumeStep,
  nodeFor,
  provisionerName,
  unsupported,
  volumeFinalizer,
  volumeName,
} from './local-volume.ts';
import { resize } from './resize.ts';
import type { VolumeFolders } from './volume-folders.ts';

/** The delay before a claim without a suitable node is retried, in milliseconds. */
const noNodeRetryMs = 5_000;

/**
 * Creates, resizes and deletes local volumes, which are folders on this machine, each assigned to a node. Handles
 * claims whose class names this provisioner. Like the external provisioner and resizer of a CSI driver, it works with
 * any API server.
 */
export function volumeProvisioner(folders: VolumeFolders): ControllerDefinition {
  const events = new CoreEventRecorder(provisionerName);
  return requestController({
    name: 'local-volume-provisioner',
    maxConcurrentReconciles: 4,
    caches: [StorageClass, Node],
    watches: [
      watch(PersistentVolumeClaim, enqueueForObject()),
      watch(PersistentVolume, enqueueForObject(), { predicates: [({ object }) => isLocalVolume(object.object)] }),
      // Enqueue the claim of a volume that changed.
      watch(
        PersistentVolume,
        enqueueMapped<PersistentVolume>(({ object: { spec } }) => {
          const { namespace, name } = spec?.claimRef ?? {};
          return namespace && name ? [{ namespace, name }] : [];
        }),
        { predicates: [({ object }) => isLocalVolume(object.object)] },
      ),
    ],
    reconcile: ({ namespace, name }, ctx) =>
      events.during(ctx, () => {
        const provisioner = new Provisioner({ ctx, events, folders });
        return namespace ? provisioner.claim({ namespace, name }) : provisioner.volume(name);
      }),
  });
}

interface Parts {
  readonly ctx: RequestContext;
  readonly events: CoreEventRecorder;
  readonly folders: VolumeFolders;
}

/** One reconcile, of either a claim or a volume. */
class Provisioner {
  readonly #ctx: RequestContext;
  readonly #events: CoreEventRecorder;
  readonly #folders: VolumeFolders;

  constructor({ ctx, events, folders }: Parts) {
    this.#ctx = ctx;
    this.#events = events;
    this.#folders = folders;
  }

  async claim(key: { readonly namespace: string; readonly name: string }): Promise<ReconcileOutcome> {
    const { cache } = this.#ctx;
    const claim = cache.lister(PersistentVolumeClaim).get(key);
    if (!claim) return undefined;
    const storageClass = cache.lister(StorageClass).get({ name: classOfClaim(claim) ?? '' });
    if (storageClass && isWaiting(claim, storageClass)) return this.#provision(claim, storageClass);
    if (needsExpansion(claim)) await this.#expand(claim);
    return undefined;
  }

  async volume(name: string): Promise<undefined> {
    const volume = this.#ctx.cache.lister(PersistentVolume).get({ name });
    if (!volume) return;
    const finalizers = volume.metadata.finalizers ?? [];
    switch (localVolumeStep(volume)) {
      case 'none':
        return;
      case 'addFinalizer':
        await this.#setFinalizers(volume, [...finalizers, volumeFinalizer]);
        return;
      case 'removeFinalizer':
        await this.#setFinalizers(
          volume,
          finalizers.filter((each) => each !== volumeFinalizer),
        );
        return;
      case 'delete':
        await this.#delete(volume);
    }
  }

  async #provision(
    claim: Stored<PersistentVolumeClaim>,
    storageClass: Stored<StorageClass>,
  ): Promise<ReconcileOutcome> {
    const { namespace, name } = claim.metadata;
    if (this.#ctx.cache.lister(PersistentVolume).get({ name: volumeName(claim) })) return undefined;
    this.#note(claim, {
      reason: 'Provisioning',
      message: `External provisioner is provisioning volume for claim "${namespace}/${name}"`,
    });
    try {
      const why = unsupported(claim, storageClass);
      if (why !== undefined) {
        this.#failed(claim, { storageClass, why });
        return undefined;
      }
      const node = await this.#nodeOf(claim, storageClass);
      if (!node) return { requeueAfterMs: noNodeRetryMs };
      const copyOf = this.#sourcePath(claim, storageClass);
      const volume = localVolume(claim, {
        storageClass,
        node,
        path: this.#folders.pathOf(node.metadata.name, volumeName(claim)),
      });
      await this.#folders.create(volume.spec?.local?.path ?? '', { copyOf });
      await this.#save(volume);
      this.#note(claim, {
        reason: 'ProvisioningSucceeded',
        message: `Successfully provisioned volume ${volume.metadata.name}`,
      });
      return undefined;
    } catch (error) {
      this.#failed(claim, { storageClass, why: messageOf(error) });
      throw error;
    }
  }

  /**
   * Returns the node for a claim's volume, or undefined if none is suitable. If the scheduler chose an unsuitable node,
   * clears the choice, so that the scheduler chooses again.
   */
  async #nodeOf(claim: Stored<PersistentVolumeClaim>, storageClass: StorageClass): Promise<Stored<Node> | undefined> {
    const nodes = this.#ctx.cache.lister(Node);
    const { [storageNames.selectedNode]: selected, ...annotations } = claim.metadata.annotations ?? {};
    if (selected === undefined) {
      const name = nodeFor(storageClass, nodes.list());
      if (name === undefined) this.#failed(claim, { storageClass, why: 'no node is ready to hold the volume' });
      return name === undefined ? undefined : nodes.get({ name });
    }
    const node = nodes.get({ name: selected });
    if (node && isAllowed(storageClass, node)) return node;
    const why = node ? `the class does not allow volumes on node "${selected}"` : `node "${selected}" not found`;
    this.#failed(claim, { storageClass, why });
    const object = { ...claim, metadata: { ...claim.metadata, annotations } };
    await updateObject(this.#ctx, { kind: PersistentVolumeClaim, object });
    return undefined;
  }

  /**
   * Returns the folder of the source claim that a claim is cloned from, or undefined if it is not a clone.
   *
   * @throws Error if the source claim is not bound to a local volume of the same class, or is larger than the claim.
   */
  #sourcePath(claim: Stored<PersistentVolumeClaim>, storageClass: StorageClass): string | undefined {
    const name = (claim.spec?.dataSourceRef ?? claim.spec?.dataSource)?.name;
    if (name === undefined) return undefined;
    const { cache } = this.#ctx;
    const { namespace } = claim.metadata;
    const source = cache.lister(PersistentVolumeClaim).get({ namespace, name });
    const volume = cache.lister(PersistentVolume).get({ name: source?.spec?.volumeName ?? '' });
    if (!source) throw new Error(`the source claim "${name}" does not exist`);
    if (source.status?.phase !== 'Bound' || !volume) throw new Error(`the source claim "${name}" is not bound`);
    if (!isLocalVolume(volume) || volume.spec?.storageClassName !== storageClass.metadata.name) {
      throw new Error(`the source claim "${name}" has another storage class`);
    }
    const size = Quantity.tryParse(volume.spec?.capacity?.['storage']) ?? Quantity.zero;
    const requested = requestOf(claim);
    if (requested.compare(size) < 0) {
      throw new Error(
        `the claim requests ${requested}, less than the ${size} of the source claim "${name}"; request at least ${size}`,
      );
    }
    return volume.spec?.local?.path;
  }

  async #save(volume: PersistentVolume): Promise<void> {
    try {
      await createObject(this.#ctx, { kind: PersistentVolume, object: volume });
    } catch (error) {
      // An earlier attempt created the volume, but its response was lost.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #expand(claim: Stored<PersistentVolumeClaim>): Promise<void> {
    const { volumeName: name = '' } = claim.spec ?? {};
    const volume = this.#ctx.cache.lister(PersistentVolume).get({ name });
    if (!volume || !isLocalVolume(volume)) return;
    this.#note(claim, { reason: 'Resizing', message: `External resizer is resizing volume ${name}` });
    await resize(this.#ctx, { claim, volume });
    this.#note(claim, { reason: 'VolumeResizeSuccessful', message: 'Resize volume succeeded' });
  }

  async #delete(volume: Stored<PersistentVolume>): Promise<void> {
    try {
      await this.#folders.remove(volume.spec?.local?.path ?? '');
    } catch (error) {
      this.#note(volume, { type: 'Warning', reason: 'VolumeFailedDelete', message: messageOf(error) });
      throw error;
    }
    if (!(await deleteObject(this.#ctx, { kind: PersistentVolume, object: volume }))) return;
    const left = this.#ctx.cache.lister(PersistentVolume).get({ name: volume.metadata.name });
    const finalizers = left?.metadata.finalizers ?? [];
    if (!left || !finalizers.includes(volumeFinalizer)) return;
    await this.#setFinalizers(
      left,
      finalizers.filter((each) => each !== volumeFinalizer),
    );
  }

  async #setFinalizers(volume: PersistentVolume, finalizers: readonly string[]): Promise<void> {
    const object = { ...volume, metadata: { ...volume.metadata, finalizers } };
    await updateObject(this.#ctx, { kind: PersistentVolume, object });
  }

  #failed(
    claim: Stored<PersistentVolumeClaim>,
    { storageClass, why }: { readonly storageClass: StorageClass; readonly why: string },
  ): void {
    const message = `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${why}`;
    this.#note(claim, { type: 'Warning', reason: 'ProvisioningFailed', message });
  }

  #note(
    about: Stored<PersistentVolume> | Stored<PersistentVolumeClaim>,
    event: { readonly type?: 'Warning'; readonly reason: string; readonly message: string },
  ): void {
    this.#events.record(this.#ctx, { about, ...event });
  }
}
