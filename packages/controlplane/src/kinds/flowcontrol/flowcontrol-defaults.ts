import type {
  ExemptPriorityLevelConfiguration,
  FlowSchemaSpec,
  LimitedPriorityLevelConfiguration,
  QueuingConfiguration,
} from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the flowcontrol group. */
export const flowcontrolDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<FlowSchemaSpec>('flowcontrolv1.FlowSchemaSpec', (spec) => {
    spec.matchingPrecedence ||= 1000;
  }),
  defaultsOf<ExemptPriorityLevelConfiguration>('flowcontrolv1.ExemptPriorityLevelConfiguration', (exempt) => {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }),
  defaultsOf<LimitedPriorityLevelConfiguration>('flowcontrolv1.LimitedPriorityLevelConfiguration', (limited) => {
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
  }),
  defaultsOf<QueuingConfiguration>('flowcontrolv1.QueuingConfiguration', (queuing) => {
    queuing.handSize ||= 8;
    queuing.queues ||= 64;
    queuing.queueLengthLimit ||= 50;
  }),
];
