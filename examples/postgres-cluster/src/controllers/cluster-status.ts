import type { ConditionUpdate, Stored } from '@kubewright/apimachinery';
import type {
  InstanceStatus,
  PostgresCluster,
  PostgresClusterStatus,
  SwitchoverFailure,
} from '../api/v1/postgres-cluster.ts';
import { lsnOf } from '../lsn.ts';
import type { PrimaryDecision } from '../plan/choose-primary.ts';
import type { UpgradeStep } from '../plan/major-upgrade.ts';
import { isWorking, type ObservedCluster, type ObservedInstance } from '../plan/observed-cluster.ts';
import { roleOf } from '../plan/roles.ts';
import type { RolloutStep } from '../plan/rollout.ts';
import type { ScaleStep } from '../plan/scale.ts';
import { nextFailure } from '../plan/switchover-failure.ts';
import { instanceNumber } from '../spec/cluster-names.ts';
import { foreignCondition, foreignMessage } from './foreign-objects.ts';

/** All decisions of one reconcile. */
export interface Decisions {
  readonly primary: PrimaryDecision;
  readonly scale: readonly ScaleStep[];
  readonly rollout: RolloutStep | undefined;
  /** Foreign objects whose names conflict with the cluster's objects. */
  readonly foreign: readonly string[];
  readonly upgrade: UpgradeStep;
}

/** The results of the changes that the decisions required. */
export interface Outcome {
  /** Names of the instances whose volume claims were created. */
  readonly created: readonly string[];
  /** Messages about the changes that failed. */
  readonly failures: readonly string[];
}

/** The phase of a cluster in which all instances work. */
export const healthyPhase = 'Cluster in healthy state';

/** The phase of a cluster whose servers are stopped for a major upgrade. */
export const upgradePhase = 'Upgrading Postgres major version';

/** Status fields that instances, backups and upgrades write. */
type OthersWrite =
  | 'version'
  | 'image'
  | 'archiveName'
  | 'majorUpgrade'
  | 'currentPrimary'
  | 'timeline'
  | 'systemID'
  | 'firstRecoverabilityPoint'
  | 'lastBackup';
type OperatorStatus = Omit<PostgresClusterStatus, 'conditions' | 'observedGeneration' | OthersWrite>;

/** Returns the status fields that this reconcile writes. `observed` already has the new target primary. */
export function clusterStatus(
  { status = {} }: Stored<PostgresCluster>,
  {
    observed,
    decisions,
    created,
  }: { readonly observed: ObservedCluster; readonly decisions: Decisions } & Pick<Outcome, 'created'>,
): OperatorStatus {
  const { members, currentPrimary, targetPrimary, nowMs } = observed;
  const now = new Date(nowMs).toISOString().replace(/\.\d+/, '');
  const isFailing = decisions.primary.do === 'keep' && decisions.primary.isFailing;
  const { phase, why } = phaseOf(observed, decisions);
  const switchoverFrom = switchoverFromOf(observed, decisions);
  const switchoverFailure = switchoverFailureOf(observed, decisions);
  return {
    phase,
    ...(why !== undefined && { phaseReason: why }),
    archiveOwner: observed.archiveOwner,
    instances: members.length,
    readyInstances: members.filter((each) => isWorking(each, currentPrimary)).length,
    ...(targetPrimary !== undefined && {
      targetPrimary,
      targetPrimaryTime: targetPrimary === status.targetPrimary ? (status.targetPrimaryTime ?? now) : now,
    }),
    ...(switchoverFrom !== undefined && { switchoverFrom }),
    ...(switchoverFailure && { switchoverFailure }),
    ...(isFailing && { primaryFailingSince: status.primaryFailingSince ?? now }),
    lastInstance: Math.max(observed.lastInstance, ...created.map(instanceNumber)),
    instanceStatuses: members.map((each) => instanceStatus(each, observed)),
  };
}

/** Returns the primary that a switchover stops. Undefined once that instance or another one is the primary. */
function switchoverFromOf(
  { currentPrimary, targetPrimary, switchoverFrom }: ObservedCluster,
  { primary }: Decisions,
): string | undefined {
  if (primary.do === 'stop' && primary.isSwitchover) return currentPrimary;
  return targetPrimary === currentPrimary ? undefined : switchoverFrom;
}

/** Returns the last switchover failure. Undefined once another instance is the primary. */
function switchoverFailureOf(
  { currentPrimary, switchoverFailure: before, nowMs }: ObservedCluster,
  { primary }: Decisions,
): SwitchoverFailure | undefined {
  if (primary.do === 'appoint' && primary.isFailedSwitchover) {
    return nextFailure(before, { instance: primary.name, message: primary.why, nowMs });
  }
  return before?.instance === currentPrimary ? before : undefined;
}

function instanceStatus(instance: ObservedInstance, observed: ObservedCluster): InstanceStatus {
  const { name, report } = instance;
  const role = roleOf(instance, observed);
  const primary = observed.members.find((each) => each.report?.isPrimary)?.report;
  const isBehind = report && primary && !report.isPrimary;
  const lag = isBehind ? lsnOf(primary.receivedLSN) - lsnOf(report.receivedLSN) : undefined;
  return {
    name,
    ...(role !== undefined && { role }),
    ready: isWorking(instance, observed.currentPrimary),
    ...(report?.receivedLSN !== undefined && { lsn: report.receivedLSN }),
    ...(report?.timeline !== undefined && { timeline: report.timeline }),
    ...(lag !== undefined && lag >= 0n && { lagBytes: Number(lag) }),
    ...(report?.pendingRestart && { pendingRestart: true }),
    ...(report?.message !== undefined && { message: report.message }),
    ...(!report && { message: 'the instance cannot be reached' }),
  };
}

/**
 * Returns the phase. Changes of the primary take precedence, then changes of other instances, then the health of all
 * instances.
 */
function phaseOf(
  { name: cluster, members, currentPrimary, instances, fenced }: ObservedCluster,
  { primary, scale, rollout, foreign, upgrade }: Decisions,
): { readonly phase: string; readonly why?: string | undefined } {
  if (primary.phase !== undefined) return { phase: primary.phase, why: primary.why };
  if (foreign.length > 0) return { phase: 'Waiting for user action', why: foreignMessage(foreign, cluster) };
  if (upgrade.do === 'reject') return { phase: 'Waiting for user action', why: upgrade.why };
  const [step] = scale;
  if (step?.do === 'create') return { phase: 'Creating a new replica', why: step.name };
  if (step?.do === 'remove') return { phase: 'Removing an instance', why: `${step.name}: ${step.why}` };
  if (rollout?.do === 'wait' && rollout.needsUser) return { phase: 'Waiting for user action', why: rollout.why };
  if (rollout)
    return {
      phase: 'Updating instances',
      why: rollout.do === 'wait' ? rollout.why : `${rollout.name}: ${rollout.why}`,
    };
  const idle = members.filter((each) => !isWorking(each, currentPrimary) && !fenced.includes(each.name));
  if (idle.length > 0 || members.length !== instances) {
    const names = idle.map(
      ({ name, report }) => `${name}${report?.message === undefined ? '' : ` (${report.message})`}`,
    );
    return { phase: 'Waiting for the instances to become active', why: names.join(', ') };
  }
  if (upgrade.do !== 'nothing') {
    return { phase: 'Checking a major upgrade', ...('why' in upgrade && { why: upgrade.why }) };
  }
  return { phase: healthyPhase };
}

/** Returns the conditions. `Ready` is true only if every instance works, WAL is archived, and no change failed. */
export function clusterConditions(
  cluster: Stored<PostgresCluster>,
  {
    observed,
    decisions,
    failures,
  }: { readonly observed: ObservedCluster; readonly decisions: Decisions } & Pick<Outcome, 'failures'>,
): readonly ConditionUpdate[] {
  const { phase, why = '' } = phaseOf(observed, decisions);
  const archiving = archivingCondition(cluster, observed);
  const systems = systemCondition(observed);
  const changes = changesCondition(failures);
  const failing = [systems, archiving, changes].filter((condition) => condition?.status === 'False');
  const isHealthy = phase === healthyPhase && failing.length === 0;
  const isIdle = ['Hibernated', 'Fenced', 'Paused', 'Waiting for user action'].includes(phase);
  const reason = isHealthy ? 'ClusterIsReady' : 'ClusterIsNotReady';
  const message =
    phase === healthyPhase
      ? failing.map((condition) => condition?.message).join('; ')
      : [phase, why].filter((text) => text !== '').join(': ');
  return [
    { type: 'Ready', status: isHealthy ? 'True' : 'False', reason, message },
    ...(isHealthy || isIdle ? [] : [{ type: 'Reconciling', status: 'True', reason, message } as const]),
    ...bootstrapConditions(observed),
    systems,
    changes,
    foreignCondition(decisions.foreign, observed.name),
    ...settingsConditions(observed),
    ...upgradeConditions(decisions.upgrade),
    ...(archiving ? [archiving] : []),
  ];
}

/**
 * Reports whether the cluster has data. An abandoned restore needs user action, which the `Stalled` condition signals
 * to other tools.
 */
function bootstrapConditions({ currentPrimary, members }: ObservedCluster): readonly ConditionUpdate[] {
  const type = 'Initialized';
  if (currentPrimary !== undefined) return [{ type, status: 'True', reason: 'BootstrapCompleted' }];
  const message = members.find(({ report }) => report?.restoreError !== undefined)?.report?.restoreError;
  if (message === undefined) return [{ type, status: 'False', reason: 'BootstrapPending' }];
  const reason = 'RecoveryTargetNotReached';
  return [
    { type, status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ];
}

/** Reports the changes that failed in the last reconcile, such as the expansion of a volume. The next reconcile repeats them. */
function changesCondition(failures: readonly string[]): ConditionUpdate {
  const type = 'ChangesApplied';
  if (failures.length === 0) return { type, status: 'True', reason: 'AllApplied' };
  return { type, status: 'False', reason: 'ChangeFailed', message: failures.join('; ').slice(0, 30_000) };
}

function systemCondition({ members }: ObservedCluster): ConditionUpdate {
  const systems = new Set(members.flatMap(({ report }) => report?.systemID ?? []));
  const type = 'ConsistentSystemID';
  if (systems.size <= 1) return { type, status: 'True', reason: 'Unique' };
  const message = `the instances have different system identifiers: ${[...systems].join(', ')}; delete the volumes of the wrong instances`;
  return { type, status: 'False', reason: 'Mismatch', message };
}

/**
 * Reports whether the servers accept the current settings. A server that rejects them keeps the last valid settings.
 */
function settingsConditions({ members }: ObservedCluster): readonly ConditionUpdate[] {
  const rejecting = members.find(({ report }) => report?.settingsError !== undefined);
  const { name, report } = rejecting ?? {};
  const type = 'SettingsApplied';
  if (rejecting)
    return [{ type, status: 'False', reason: 'InvalidSettings', message: `${name}: ${report?.settingsError}` }];
  return [{ type, status: 'True', reason: 'SettingsValid' }];
}

function upgradeConditions(step: UpgradeStep): readonly ConditionUpdate[] {
  if (step.do === 'nothing' || step.do === 'forget' || step.do === 'complete') return [];
  const type = 'MajorUpgrade';
  if (step.do === 'reject' || step.do === 'fail') {
    // A failure stays visible until the user acknowledges it.
    const reason = step.do === 'fail' || step.hasFailed ? 'Failed' : 'NotPossible';
    return [{ type, status: 'False', reason, message: step.why }];
  }
  return [{ type, status: 'Unknown', reason: 'InProgress', message: 'why' in step ? step.why : '' }];
}

function archivingCondition(
  { spec }: Stored<PostgresCluster>,
  { members, currentPrimary }: ObservedCluster,
): ConditionUpdate | undefined {
  if (spec.backup === undefined) return undefined;
  const archive = members.find(({ name }) => name === currentPrimary)?.report?.archive;
  const type = 'ContinuousArchiving';
  const { lastArchivedTime, lastFailed, lastFailedTime } = archive ?? {};
  if (lastFailedTime !== undefined && (lastArchivedTime === undefined || lastFailedTime > lastArchivedTime)) {
    return {
      type,
      status: 'False',
      reason: 'ContinuousArchivingFailing',
      message: archive?.message ?? `cannot archive ${lastFailed}`,
    };
  }
  if (lastArchivedTime === undefined) return { type, status: 'Unknown', reason: 'NothingArchived' };
  return { type, status: 'True', reason: 'ContinuousArchivingSuccess' };
}
