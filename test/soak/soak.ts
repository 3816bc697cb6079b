import { type KubernetesObject, type Random, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { KubernetesClient } from '@kubewright/client';
import { type Logger, silentLogger } from '@kubewright/runtime';
import { Replica } from './replica.ts';
import { RestartingServer } from './restarting-server.ts';
import { type Flaw, pagesOf, siteController, siteDefinition } from './site.ts';
import { Users } from './users.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Time limit for convergence. A key that failed throughout an outage is retried after at most 1,000 s. */
const boundMs = 30 * minuteMs;

/** The result of hours of faults. */
export interface Storm {
  readonly writes: number;
  /** Time from the end of the faults until everything had converged, in milliseconds of virtual time. */
  readonly convergedMs: number;
  /** Everything that had not converged within the bound. */
  readonly wrong: readonly string[];
  readonly faults: Readonly<Record<string, number>>;
}

/** The result of a day. */
export interface Day extends Storm {
  readonly day: number;
}

export interface SoakOptions {
  readonly seed: number;
  readonly flaw?: Flaw | undefined;
  readonly log?: Logger | undefined;
}

/**
 * Simulates two replicas of an operator, the embedded API server, changing users, and faults of networks, machines and
 * servers, for days of virtual time.
 *
 * Not covered: sockets and TLS, a store that loses acknowledged writes, kinds with many objects (see `bench/soak.mjs`),
 * more than one writer of a status, and a lost key that a resync happens to find again within the hours before the
 * check. Memory leaks of the server outside its store are not covered either, because the server restarts about nine
 * times a day.
 */
export class Soak implements AsyncDisposable {
  readonly #clock = new VirtualClock();
  readonly #random: Random;
  readonly #server: RestartingServer;
  readonly #client: KubernetesClient;
  readonly #users: Users;
  readonly #replicas: Replica[] = [];
  readonly #options: SoakOptions;
  #faults: Record<string, number> = {};
  #writes = 0;
  #day = 0;
  #started = 0;

  private constructor(options: SoakOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#server = new RestartingServer({ clock: this.#clock, seed: options.seed });
    this.#client = new KubernetesClient({
      transport: this.#server.transport(),
      clock: this.#clock,
      random: seededRandom(options.seed),
    });
    this.#users = new Users(this.#client, this.#random);
  }

  static async start(options: SoakOptions): Promise<Soak> {
    const soak = new Soak(options);
    await soak.#server.start();
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await soak.#client.request({ method: 'POST', path, body: siteDefinition });
    await soak.#advance(minuteMs);
    for (const at of [0, 1]) soak.#replicas[at] = soak.#startReplica();
    return soak;
  }

  /**
   * Runs 22 hours of faults and two quiet hours. In the quiet hours, users restore the same state every day, and the
   * server's leftovers of the day expire: events after an hour, history after five minutes. So memory is comparable between
   * days.
   */
  async day(): Promise<Day> {
    const storm = await this.storm(22);
    const nightfall = this.#clock.monotonic() + 2 * hourMs - storm.convergedMs;
    // Wait until the leader has done all of the evening's work, even if it was elected late.
    await this.#advance(10 * minuteMs);
    await this.#users.tidy();
    const { wrong } = await this.#converged();
    await this.#advance(nightfall - this.#clock.monotonic());
    const late = [...(wrong.length === 0 ? await this.#wrong() : wrong), ...this.#failures()];
    return { day: ++this.#day, ...storm, wrong: [...storm.wrong, ...late] };
  }

  /** Runs hours of faults, ends them, and waits until everything converges. */
  async storm(hours: number): Promise<Storm> {
    this.#faults = {};
    this.#writes = 0;
    const end = this.#clock.monotonic() + hours * hourMs;
    for (const { transport } of this.#replicas) transport.isFaulty = true;
    while (this.#clock.monotonic() < end) {
      await this.#advance(this.#random.next() * 6 * minuteMs);
      if (this.#random.next() < 0.15) await this.#trouble();
      else if (this.#server.isUp) await this.#write();
    }
    await this.#calm();
    const { wrong, afterMs: convergedMs } = await this.#converged();
    return { writes: this.#writes, convergedMs, wrong: [...wrong, ...this.#failures()], faults: this.#faults };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#calm();
    const stopped = Promise.all(this.#replicas.map((replica) => replica.stop()));
    await this.#until(stopped);
    await this.#client[Symbol.asyncDispose]();
    await this.#server[Symbol.asyncDispose]();
  }

  #startReplica(): Replica {
    const at = this.#started++;
    return new Replica({
      identity: `operator-${at}`,
      server: this.#server,
      clock: this.#clock,
      random: seededRandom(this.#options.seed * 1_000 + at),
      log: this.#options.log ?? silentLogger,
      definition: siteController(this.#options.flaw),
      count: this.#count,
    });
  }

  readonly #count = (fault: string): void => {
    this.#faults[fault] = (this.#faults[fault] ?? 0) + 1;
  };

  /** Causes a random fault of a replica or the server. */
  async #trouble(): Promise<void> {
    const at = this.#random.next() < 0.5 ? 0 : 1;
    const { transport, clock } = this.#replicas[at]!;
    const forMs = this.#random.next() ** 3 * 20 * minuteMs;
    const troubles: Readonly<Record<string, () => Promise<void> | void>> = {
      'watches cut': () => transport.cutStreams(),
      'watches mute': () => transport.muteStreams(),
      'replica cut off': () => {
        transport.isCut = true;
        transport.cutStreams();
        this.#clock.setTimer(forMs, () => {
          transport.isCut = false;
        });
      },
      'replica paused': () => this.#pause(clock, { suspended: false, forMs }),
      'machine suspended': () => this.#pause(clock, { suspended: true, forMs }),
      // Never restart the first replica, so that leaks of the operator can add up over the whole test.
      'replica restarted': () => this.#restart(1),
      'server restarted': async () => {
        await this.#until(this.#server.stop());
        await this.#advance(forMs / 10);
        await this.#until(this.#server.start());
      },
    };
    const names = Object.keys(troubles);
    const name = names[Math.floor(this.#random.next() * names.length)]!;
    this.#count(name);
    await troubles[name]?.();
  }

  #pause(clock: Replica['clock'], how: { readonly suspended: boolean; readonly forMs: number }): void {
    clock.stop(how);
    this.#clock.setTimer(how.forMs, () => clock.resume());
  }

  async #restart(at: number): Promise<void> {
    const old = this.#replicas[at]!;
    old.clock.resume();
    await this.#until(old.stop());
    this.#replicas[at] = this.#startReplica();
  }

  async #write(): Promise<void> {
    this.#writes++;
    await this.#users.act();
  }

  async #calm(): Promise<void> {
    if (!this.#server.isUp) await this.#until(this.#server.start());
    for (const { clock, transport } of this.#replicas) {
      clock.resume();
      transport.isFaulty = false;
      transport.isCut = false;
    }
  }

  /** Waits until everything has converged, or the bound has passed. */
  async #converged(): Promise<{ readonly wrong: readonly string[]; readonly afterMs: number }> {
    const since = this.#clock.monotonic();
    let wrong = await this.#wrong();
    while (wrong.length > 0 && this.#clock.monotonic() - since < boundMs) {
      await this.#advance(10_000);
      wrong = await this.#wrong();
    }
    return { wrong, afterMs: this.#clock.monotonic() - since };
  }

  /** Returns internal errors of the server and the operators. */
  #failures(): readonly string[] {
    const failures = this.#server.errors.splice(0).map((error) => `the server failed: ${String(error)}`);
    for (const { failure } of this.#replicas) if (failure) failures.push(`an operator ended: ${String(failure)}`);
    return failures;
  }

  /** Returns all differences between the specs and the actual objects. */
  async #wrong(): Promise<readonly string[]> {
    const wrong: string[] = [];
    const pages = new Map((await this.#users.pages()).map((page) => [page.metadata.name, page]));
    for (const site of await this.#users.sites()) {
      const { name, generation, deletionTimestamp } = site.metadata;
      if (deletionTimestamp) wrong.push(`${name} is still there`);
      if (observedGeneration(site) !== generation || site.status?.pages !== site.spec.pages)
        wrong.push(`${name} says ${JSON.stringify(site.status)} in generation ${generation}`);
      for (const wanted of pagesOf(site)) {
        const page = pages.get(wanted.metadata.name);
        pages.delete(wanted.metadata.name);
        if (page?.metadata.ownerReferences?.[0]?.uid !== site.metadata.uid || page?.data?.['title'] !== site.spec.title)
          wrong.push(`${wanted.metadata.name} is ${page ? 'not as it should be' : 'missing'}`);
      }
    }
    for (const name of pages.keys()) wrong.push(`${name} has no owner`);
    return wrong;
  }

  /**
   * Advances time. Lets the event loop turn between two timers, because the server and the runtime yield to it and
   * would otherwise report a blocked event loop.
   */
  async #advance(ms: number): Promise<void> {
    let isOver = false;
    this.#clock.setTimer(ms, () => {
      isOver = true;
    });
    while (!isOver) {
      await turn();
      await this.#clock.advanceToNext();
    }
    await turn();
  }

  /** Advances time until work that waits for timers is done. */
  async #until(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await turn();
      if (!isDone) await this.#advance(100);
    }
    await done;
  }
}

function observedGeneration({ status }: KubernetesObject & { readonly status?: unknown }): number | undefined {
  return (status as { readonly observedGeneration?: number } | undefined)?.observedGeneration;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
