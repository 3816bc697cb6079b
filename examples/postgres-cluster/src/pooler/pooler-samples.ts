import type { Sample } from '../metrics/metric.ts';
import type { PoolerStatistics } from './pooler-statistics.ts';

/** The inputs of a pooler's metrics. */
export interface PoolerState {
  readonly cluster: string;
  readonly pooler: string;
  readonly isPaused: boolean;
  /** Undefined if PgBouncer does not respond. */
  readonly statistics: PoolerStatistics | undefined;
}

type Labels = Readonly<Record<string, string>>;
type Values = readonly (readonly [name: string, value: number | boolean, labels?: Labels])[];

/** Returns the samples of a pooler's metrics. */
export function poolerSamples({ cluster, pooler, isPaused, statistics }: PoolerState): readonly Sample[] {
  const state: Values = [
    ['up', statistics !== undefined],
    ['paused', isPaused],
  ];
  return [...state, ...(statistics ? statisticsOf(statistics) : [])].map(([name, value, labels]) => ({
    name: `postgres_pooler_${name}`,
    labels: { cluster, pooler, ...labels },
    value: Number(value),
  }));
}

function statisticsOf({ version, maxClients, pools, databases }: PoolerStatistics): Values {
  return [
    ['info', 1, { version }],
    ['max_clients', maxClients],
    ...pools.flatMap(({ database, user, clients, servers, maxWaitSeconds }): Values => {
      const states = (name: string, numbers: Readonly<Record<string, number>>): Values =>
        Object.entries(numbers).map(([state, count]) => [name, count, { database, user, state }]);
      return [
        ...states('clients', clients),
        ...states('servers', servers),
        ['max_wait_seconds', maxWaitSeconds, { database, user }],
      ];
    }),
    ...databases.flatMap(
      ({ name: database, ...each }): Values => [
        ['transactions_total', each.transactions, { database }],
        ['queries_total', each.queries, { database }],
        ['received_bytes_total', each.receivedBytes, { database }],
        ['sent_bytes_total', each.sentBytes, { database }],
        ['transaction_seconds_total', each.transactionSeconds, { database }],
        ['query_seconds_total', each.querySeconds, { database }],
        ['wait_seconds_total', each.waitSeconds, { database }],
      ],
    ),
  ];
}
