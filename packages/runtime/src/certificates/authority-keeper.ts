import { type Clock, sleep } from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';
import { logEvents } from '../log/log-events.ts';
import type { AuthorityLifetimes } from './authority-lifetimes.ts';
import { keepAuthority, readBundle } from './authority-secret.ts';
import type { AuthorityPolicy, AuthorityState } from './authority-state.ts';
import { type InjectionOptions, injectBundle, type WebhookAddress } from './ca-injection.ts';
import { CertificateError } from './certificate-error.ts';
import type { CertificateParts } from './certificate-source.ts';
import type { OwnAuthorityOptions } from './own-authority.ts';

/** Delays between attempts after a failure, in milliseconds. */
const retries = { initialMs: 500, maxMs: 30_000 };

/** How often to look for missing objects, in milliseconds: until they exist, the API server does not call the webhooks. */
const missingMs = 2_000;

/** Maintains an operator's own certificate authority; see {@link ownAuthority}. */
export class AuthorityKeeper {
  readonly #options: OwnAuthorityOptions;
  readonly #lifetimes: Required<AuthorityLifetimes>;
  readonly #parts: CertificateParts;
  readonly #address: WebhookAddress;
  readonly #hosts: readonly string[];
  #served: string | undefined;
  #missing = '';
  /** The bundle last injected into all configurations and definitions. */
  #known = '';

  constructor(
    options: OwnAuthorityOptions,
    from: { readonly lifetimes: Required<AuthorityLifetimes>; readonly parts: CertificateParts },
  ) {
    this.#options = options;
    this.#lifetimes = from.lifetimes;
    this.#parts = { ...from.parts, log: from.parts.log.named('certificates') };
    this.#address = addressOf(options, from.parts.port);
    this.#hosts = hostsOf(this.#address, options.hosts ?? []);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    const { intervalMs = 30_000 } = this.#options;
    let failures = 0;
    while (!signal.aborted) {
      let waitMs = intervalMs;
      try {
        await this.#lookAfter(signal);
        if (this.#missing !== '') waitMs = Math.min(missingMs, intervalMs);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        // Retrying does not help.
        if (error instanceof CertificateError && this.#served === undefined) throw error;
        const backoffMs = exponentialDelay(failures++, retries);
        log.error('cannot manage the webhook certificates', {
          event: logEvents.certificateFailed,
          error,
          retryInMs: backoffMs,
        });
        waitMs = Math.min(backoffMs, intervalMs);
      }
      await pause(clock, { ms: waitMs, signal });
    }
  }

  async #lookAfter(signal: AbortSignal): Promise<void> {
    const { log, publish } = this.#parts;
    const { secret } = this.#options;
    const client = this.#client;
    const { state, isChanged } = await keepAuthority({ client, secret, policy: (kept) => this.#policy(kept), signal });
    if (isChanged)
      log.info('Updated the webhook certificates', {
        event: logEvents.authorityUpdated,
        secret,
        authorities: state.bundle.length,
      });
    if (state.serving.certificate !== this.#served) {
      publish(state.serving);
      log.info('Updated current TLS certificate', { event: logEvents.certificateUpdated });
      this.#served = state.serving.certificate;
    }
    const bundle = async (): Promise<string> => {
      const now = await readBundle({ client, secret, signal });
      if (now !== undefined) return now;
      throw new Error('the Secret with the webhook certificates was deleted and will be recreated');
    };
    await this.#inject({ client, address: this.#address, bundle, signal });
    this.#known = state.bundle.join('');
  }

  async #inject(how: Omit<InjectionOptions, 'targets'>): Promise<void> {
    const { log, converts } = this.#parts;
    const { mutating = [], validating = [], definitions = converts } = this.#options;
    const { changed, missing } = await injectBundle({ ...how, targets: { mutating, validating, definitions } });
    if (changed.length > 0)
      log.info('Injected the CA bundle', { event: logEvents.authorityInjected, objects: changed });
    if (missing.length > 0 && missing.join() !== this.#missing)
      log.warn('cannot inject the CA bundle: webhook configurations or CustomResourceDefinitions are missing', {
        event: logEvents.authorityTargetsMissing,
        objects: missing,
      });
    this.#missing = missing.join();
  }

  #policy(kept: AuthorityState | undefined): AuthorityPolicy {
    const subject = { commonName: `${this.#options.secret.name}-ca`.slice(0, 64) };
    return {
      ...this.#lifetimes,
      subject,
      hosts: this.#hosts,
      nowMs: this.#parts.clock.now(),
      isBundleKnown: kept?.bundle.join('') === this.#known,
    };
  }

  get #client(): NonNullable<CertificateParts['client']> {
    if (this.#parts.client) return this.#parts.client;
    throw new CertificateError({
      what: 'cannot use ownAuthority() without a manager',
      why: 'ownAuthority() stores its keys in a Secret and needs the client of a manager',
      remedy: 'run the webhook server in a manager',
    });
  }
}

function addressOf({ service, url = '' }: OwnAuthorityOptions, port: number): WebhookAddress {
  if (service) return { service };
  const parsed = new URL(url);
  return { url: `https://${parsed.hostname}:${parsed.port === '' ? port : parsed.port}` };
}

function hostsOf(address: WebhookAddress, more: readonly string[]): readonly string[] {
  if ('url' in address) return [...new Set([new URL(address.url).hostname.replace(/^\[|\]$/g, ''), ...more])];
  const { namespace, name } = address.service;
  const inCluster = `${name}.${namespace}.svc`;
  return [...new Set([inCluster, `${inCluster}.cluster.local`, `${name}.${namespace}`, ...more])];
}

async function pause(clock: Clock, how: { readonly ms: number; readonly signal: AbortSignal }): Promise<void> {
  await sleep(clock, how).catch(() => {
    // The wait was aborted; the loop's condition checks the signal.
  });
}
