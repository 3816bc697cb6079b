import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Where an API server finds the webhooks of an operator that is developed. */
export interface WebhookAddress {
  /** Address or name that the API server calls. */
  readonly host: string;
  /** Address of this machine that is listened on. */
  readonly listenOn: string;
}

/** Within this machine. */
export const loopback: WebhookAddress = { host: '127.0.0.1', listenOn: '127.0.0.1' };

/** Listens on the one address that is called, if it is this machine's own; on all where only others know what it leads to. */
export function webhookAddress(host: string): WebhookAddress {
  if (isLoopback(host)) return { host, listenOn: host === 'localhost' ? loopback.listenOn : host };
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  return { host, listenOn: own.includes(host) ? host : isIPv6(host) ? '::' : '0.0.0.0' };
}

/** True of addresses and names that never leave this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/.test(host);
}

/** True of what can stand in a URL as its host. */
export function isHost(text: string): boolean {
  return (
    isIP(text) !== 0 || /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)
  );
}
