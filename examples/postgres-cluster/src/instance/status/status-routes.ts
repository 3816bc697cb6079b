import { expositionType } from '../../metrics/exposition.ts';
import type { BackupReport, BackupRequest, InstanceReport } from '../protocol.ts';
import type { Response, Route } from './status-server.ts';

/** The functions of an instance manager that are served over HTTPS. */
export interface ServedInstance {
  readonly report: InstanceReport;
  restart(): Promise<boolean>;
  follows(primary: string, forMs: number): Promise<boolean>;
  /** Starts a backup. Returns false if there is no archive or no running server. */
  startBackup(request: BackupRequest): boolean;
  backup(uid: string): BackupReport | undefined;
  /** Returns the metrics in Prometheus's text format. */
  metrics(): Promise<string>;
}

/** Returns the routes described in `protocol.ts`. */
export function statusRoutes(instance: ServedInstance): readonly Route[] {
  const ok = (isOk: boolean): Response => ({ code: isOk ? 200 : 503 });
  return [
    { method: 'GET', path: /\/livez/, callers: ['anyone'], handle: () => ok(true) },
    { method: 'GET', path: /\/readyz/, callers: ['anyone'], handle: () => ok(instance.report.isReady) },
    {
      method: 'GET',
      path: /\/metrics/,
      callers: ['anyone'],
      handle: async () => ({ code: 200, text: { type: expositionType, content: await instance.metrics() } }),
    },
    {
      method: 'GET',
      path: /\/v1\/status/,
      callers: ['operator'],
      handle: () => ({ code: 200, body: instance.report }),
    },
    {
      method: 'POST',
      path: /\/v1\/restart/,
      callers: ['operator'],
      handle: () => {
        if (instance.report.state !== 'running') return { code: 409 };
        // Not awaited: the shutdown can take a long time, and later reports show the result.
        void instance.restart();
        return { code: 202 };
      },
    },
    ...backupRoutes(instance),
    {
      method: 'GET',
      path: /\/v1\/primary/,
      callers: ['operator', 'instance'],
      handle: async ({ query }) => {
        const forMs = Number(query.get('forMs'));
        if (!Number.isSafeInteger(forMs) || forMs <= 0)
          return { code: 400, body: { message: 'forMs must be a positive integer' } };
        return { code: (await instance.follows(query.get('name') ?? '', forMs)) ? 204 : 409 };
      },
    },
  ];
}

function backupRoutes(instance: ServedInstance): readonly Route[] {
  return [
    {
      method: 'POST',
      path: /\/v1\/backups/,
      callers: ['operator'],
      handle: ({ query }) => {
        const [name, uid] = [query.get('name'), query.get('uid')];
        if (!name || !uid) return { code: 400, body: { message: 'name and uid are required' } };
        const type = query.get('type') === 'incremental' ? 'incremental' : 'full';
        return { code: instance.startBackup({ name, uid, type }) ? 202 : 409 };
      },
    },
    {
      method: 'GET',
      path: /\/v1\/backups\/([^/]+)/,
      callers: ['operator'],
      handle: ({ match }) => {
        const body = instance.backup(match[1] ?? '');
        return body ? { code: 200, body } : { code: 404 };
      },
    },
  ];
}
