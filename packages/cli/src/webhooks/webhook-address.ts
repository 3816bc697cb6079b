import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Address at which an API server reaches the webhooks of an operator under development. */
export interface WebhookAddress {
  /** Address or name that the API server calls. */
  readonly host: string;
  /** Local address to listen on. */
  readonly listenOn: string;
}

/** An address that is reachable only from this machine. */
export const loopback: WebhookAddress = { host: '127.0.0.1', listenOn: '127.0.0.1' };

/**
 * Listens only on the called address if it belongs to this machine; otherwise on all addresses, because the local
 * address that receives the requests is unknown.
 */
export function webhookAddress(host: string): WebhookAddress {
  if (isLoopback(host)) return { host, listenOn: host === 'localhost' ? loopback.listenOn : host };
  const own = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  return { host, listenOn: own.includes(host) ? host : isIPv6(host) ? '::' : '0.0.0.0' };
}

/** True for addresses and names that never leave this machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/.test(host);
}

/** True if the text is a valid host in a URL. */
export function isHost(text: string): boolean {
  return (
    isIP(text) !== 0 || /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(text)
  );
}
