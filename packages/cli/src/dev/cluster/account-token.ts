import { writeFileSync } from 'node:fs';
import type { Timer } from '@kubewright/apimachinery';
import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { Target } from '../../target/apply-objects.ts';
import type { Account } from './dev-cluster.ts';

const tokenSeconds = 3_600;
/** The delay before a failed renewal is retried, in milliseconds. */
const againMs = 30_000;

/** Keeps a valid service account token in a file, using TokenRequest. */
export class AccountToken implements Disposable {
  readonly #target: Target;
  readonly #where: { readonly account: Account; readonly file: string };
  #timer: Timer | undefined;
  #isDisposed = false;

  private constructor(target: Target, where: { readonly account: Account; readonly file: string }) {
    this.#target = target;
    this.#where = where;
  }

  static async create(
    target: Target,
    where: { readonly account: Account; readonly file: string },
  ): Promise<AccountToken> {
    const token = new AccountToken(target, where);
    await token.#renew();
    return token;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#timer?.[Symbol.dispose]();
  }

  async #renew(): Promise<void> {
    const { client, environment } = this.#target;
    const { account, file } = this.#where;
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds: tokenSeconds },
    };
    const tokens = client.resource(ServiceAccount).subresource('token');
    const { signal } = environment;
    const { status } = await tokens.create<{ readonly status: { readonly token: string } }>(account, body, { signal });
    if (this.#isDisposed) return;
    writeFileSync(file, status.token, { mode: 0o600 });
    this.#renewIn(tokenSeconds * 800);
  }

  #renewIn(delayMs: number): void {
    if (this.#isDisposed) return;
    const renew = (): void => void this.#renew().catch(() => this.#renewIn(againMs));
    this.#timer = this.#target.environment.clock.setTimer(delayMs, renew, { unref: true });
  }
}
