import type { BackupReport, BackupRequest } from '../instance/protocol.ts';
import { callInstance, type InstanceAddress, InstanceError } from './instance-client.ts';

/** Requests backups from instance managers. */
export interface BackupClient {
  start(
    address: InstanceAddress,
    options: { readonly request: BackupRequest; readonly signal: AbortSignal },
  ): Promise<void>;
  /** Resolves to undefined if the instance does not know the backup. */
  report(
    address: InstanceAddress,
    options: { readonly uid: string; readonly signal: AbortSignal },
  ): Promise<BackupReport | undefined>;
}

const timeoutMs = 5_000;

/** Calls instances over HTTPS with the operator's client certificate. */
export const httpsBackups: BackupClient = {
  start: async (address, { request, signal }) => {
    const query = new URLSearchParams({ ...request }).toString();
    await callInstance(address, { method: 'POST', path: `/v1/backups?${query}`, timeoutMs, signal });
  },
  report: async (address, { uid, signal }) => {
    try {
      const body = await callInstance(address, { method: 'GET', path: `/v1/backups/${uid}`, timeoutMs, signal });
      // The server builds the response from the same type.
      return JSON.parse(body) as BackupReport;
    } catch (error) {
      if (error instanceof InstanceError && error.statusCode === 404) return undefined;
      throw error;
    }
  },
};
