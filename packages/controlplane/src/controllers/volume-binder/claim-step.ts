import type { Stored } from '@kubewright/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type { StorageClass } from '@kubewright/apimachinery/storage/v1';
import { classOfClaim, waitsForConsumer } from '../volumes/storage-class.ts';
import { storageNames } from '../volumes/storage-names.ts';
import { isBoundTo, matchVolume, mismatch } from './match-volume.ts';

/** The cluster state that a decision about a claim depends on. */
export interface ClaimFacts {
  /** The volume that the claim names, if it exists. */
  readonly named: Stored<PersistentVolume> | undefined;
  /** The volumes that are free, or reserved for the claim. */
  readonly volumes: readonly Stored<PersistentVolume>[];
  /** The claim's storage class, if it exists. */
  readonly storageClass: StorageClass | undefined;
  readonly defaultClass: Stored<StorageClass> | undefined;
  /** The names of pods that mount the claim and are not scheduled yet. */
  readonly unscheduledPods: readonly string[];
}

/** An event about a claim. */
export interface ClaimEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The next step for a claim. */
export type ClaimStep =
  | { readonly step: 'bind'; readonly volume: Stored<PersistentVolume> }
  | { readonly step: 'lose'; readonly event: ClaimEvent }
  | { readonly step: 'assignClass'; readonly storageClass: string }
  | { readonly step: 'provision'; readonly provisioner: string; readonly event: ClaimEvent }
  /** The claim stays pending. */
  | { readonly step: 'wait'; readonly event?: ClaimEvent };

/** Decides what to do with a claim. Mirrors `syncClaim` of the persistent volume controller (1.36). */
export function claimStep(claim: PersistentVolumeClaim, facts: ClaimFacts): ClaimStep {
  const wasBound = claim.metadata.annotations?.[storageNames.bindCompleted] !== undefined;
  if (wasBound) return boundStep(claim, facts);
  return claim.spec?.volumeName ? namedStep(claim, facts) : unboundStep(claim, facts);
}

function boundStep(claim: PersistentVolumeClaim, { named }: ClaimFacts): ClaimStep {
  if (!claim.spec?.volumeName) {
    return lose('ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!');
  }
  if (!named) return lose('ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!');
  const reference = named.spec?.claimRef;
  if (!reference || reference.uid === claim.metadata.uid) return { step: 'bind', volume: named };
  return lose('ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly');
}

function lose(reason: string, message: string): ClaimStep {
  return { step: 'lose', event: { type: 'Warning', reason, message } };
}

function namedStep(claim: PersistentVolumeClaim, { named }: ClaimFacts): ClaimStep {
  if (!named) return { step: 'wait' };
  const { name } = named.metadata;
  if (!named.spec?.claimRef) {
    const why = mismatch(named, claim);
    if (why === undefined) return { step: 'bind', volume: named };
    const message = `Cannot bind to requested volume ${JSON.stringify(name)}: ${why}`;
    return { step: 'wait', event: { type: 'Warning', reason: 'VolumeMismatch', message } };
  }
  if (isBoundTo(named, claim)) return { step: 'bind', volume: named };
  const message = `volume ${JSON.stringify(name)} already bound to a different claim.`;
  return { step: 'wait', event: { type: 'Warning', reason: 'FailedBinding', message } };
}

function unboundStep(claim: PersistentVolumeClaim, facts: ClaimFacts): ClaimStep {
  const { storageClass, volumes, unscheduledPods } = facts;
  const delayed = waitsForConsumer(storageClass);
  const volume = matchVolume(claim, { volumes, delayed });
  if (volume) return { step: 'bind', volume };
  const name = classOfClaim(claim);
  if (name === undefined && facts.defaultClass) {
    return { step: 'assignClass', storageClass: facts.defaultClass.metadata.name };
  }
  if (delayed && claim.metadata.annotations?.[storageNames.selectedNode] === undefined) {
    return { step: 'wait', event: consumerEvent(unscheduledPods) };
  }
  if (name) return provisionStep(name, storageClass);
  const message = 'no persistent volumes available for this claim and no storage class is set';
  return { step: 'wait', event: { type: 'Normal', reason: 'FailedBinding', message } };
}

function consumerEvent(pods: readonly string[]): ClaimEvent {
  const type = 'Normal';
  if (pods.length === 0) {
    const message = 'waiting for first consumer to be created before binding';
    return { type, reason: 'WaitForFirstConsumer', message };
  }
  const which = pods.length > 1 ? `pods ${pods.join(',')}` : `pod ${pods[0]}`;
  return { type, reason: 'WaitForPodScheduled', message: `waiting for ${which} to be scheduled` };
}

/**
 * Requests a volume from the class's provisioner. Fails for the former in-tree provisioners, `kubernetes.io/…`, which no longer
 * exist.
 */
function provisionStep(name: string, storageClass: StorageClass | undefined): ClaimStep {
  const failed = (message: string): ClaimStep => ({
    step: 'wait',
    event: { type: 'Warning', reason: 'ProvisioningFailed', message },
  });
  if (!storageClass) return failed(`storageclass.storage.k8s.io ${JSON.stringify(name)} not found`);
  const { provisioner } = storageClass;
  if (provisioner.startsWith('kubernetes.io/')) return failed(`no volume plugin matched name: ${provisioner}`);
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. ` +
    'If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  return { step: 'provision', provisioner, event: { type: 'Normal', reason: 'ExternalProvisioning', message } };
}
