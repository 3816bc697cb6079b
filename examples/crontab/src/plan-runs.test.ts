import { VirtualClock } from '@kubewright/apimachinery';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { CronTab, type CronTabSpec, type CronTabStatus } from './api/v1/cron-tab.ts';
import { planRuns, type RunPlan } from './plan-runs.ts';
import { parseSchedule } from './schedule.ts';

const day = 86_400_000;

/** A CronTab, its Jobs, and an operator that may be down; each Job finishes immediately. */
class World {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1));
  readonly started: string[] = [];
  spec: Omit<CronTabSpec, 'image'>;
  #status: CronTabStatus | undefined;
  #jobs: string[] = [];

  constructor(spec: Omit<CronTabSpec, 'image'>) {
    this.spec = spec;
  }

  get missed(): number {
    return this.#status?.missedRuns ?? 0;
  }

  get jobs(): number {
    return this.#jobs.length;
  }

  plan(): RunPlan {
    const { cronSpec, timeZone = 'Etc/UTC' } = this.spec;
    const metadata = { name: 'tab', creationTimestamp: '2026-01-01T00:00:00Z' };
    const cronTab = { ...stored(CronTab({ metadata, spec: { image: 'i', ...this.spec } })), status: this.#status };
    const runs = this.#jobs.map((name) => ({ name, isFinished: true }));
    const now = new Date(this.clock.now());
    const plan = planRuns(cronTab as never, { schedule: parseSchedule(cronSpec, timeZone), runs, now });
    this.#status = plan.status;
    this.#jobs = this.#jobs.filter((name) => !plan.surplus.includes(name));
    if (plan.start) {
      this.started.push(plan.start.toISOString());
      this.#jobs.push(plan.status.active?.at(-1) ?? '');
    }
    return plan;
  }

  /** Plans repeatedly until a date, each time when the previous plan requested it. */
  async runUntil(date: string): Promise<void> {
    for (;;) {
      const { next } = this.plan();
      const end = Date.parse(date);
      if (next === undefined || next.getTime() > end) return await this.clock.advance(end - this.clock.now());
      await this.clock.advance(next.getTime() - this.clock.now());
    }
  }
}

describe('planRuns', () => {
  it('starts one run a day for a year, including both days on which clocks change', async () => {
    const world = new World({ cronSpec: '30 2 * * *', timeZone: 'Europe/Berlin' });
    await world.runUntil('2027-01-01T00:00:00Z');
    expect(world.started).toHaveLength(365);
    // 02:30 does not exist on 29 March, and exists twice on 25 October.
    const around = (month: string) => world.started.filter((time) => time.startsWith(month)).slice(-8);
    expect(around('2026-03').slice(4, 7)).toEqual([
      '2026-03-28T01:30:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    expect(around('2026-10').slice(0, 3)).toEqual([
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-26T01:30:00.000Z',
    ]);
    expect([world.missed, world.jobs]).toEqual([0, 4]);
  });

  it('starts the newest of the runs missed in an outage, and counts the others', async () => {
    const world = new World({ cronSpec: '0 * * * *' });
    await world.runUntil('2026-01-03T00:00:00Z');
    await world.clock.advance(2 * day);
    const { start, missed } = world.plan();
    expect([start?.toISOString(), missed]).toEqual(['2026-01-05T00:00:00.000Z', 47]);
    expect(world.plan()).toMatchObject({ missed: 0, next: new Date('2026-01-05T01:00:00Z') });
    expect(world.plan().start).toBeUndefined();
  });

  it('does not start a run after its deadline', async () => {
    const world = new World({ cronSpec: '0 0 * * *', startingDeadlineSeconds: 3600 });
    await world.runUntil('2026-01-10T00:30:00Z');
    expect(world.started).toHaveLength(10);
    await world.clock.advance(3 * day + 3_600_000);
    expect(world.plan()).toMatchObject({ missed: 3, status: { lastScheduleTime: '2026-01-10T00:00:00Z' } });
    expect(world.started).toHaveLength(10);
  });

  it('starts nothing while suspended, and does not start the skipped runs afterwards', async () => {
    const world = new World({ cronSpec: '0 0 * * *' });
    await world.runUntil('2026-02-01T12:00:00Z');
    world.spec = { ...world.spec, suspend: true };
    expect(world.plan().next).toBeUndefined();
    await world.clock.advance(30 * day);
    world.spec = { ...world.spec, suspend: false };
    expect(world.plan()).toMatchObject({ missed: 0, next: new Date('2026-03-04T00:00:00Z') });
    expect(world.started.at(-1)).toBe('2026-02-01T00:00:00.000Z');
  });

  it('counts at most a hundred missed runs of a schedule that runs every second', async () => {
    const world = new World({ cronSpec: '* * * * * *' });
    world.plan();
    await world.clock.advance(365 * day);
    expect(world.plan()).toMatchObject({ missed: 100, start: new Date('2027-01-01T00:00:00Z') });
  });

  it('runs the printed expression every minute of Sundays and Fridays', async () => {
    const { next } = parseSchedule('* * * * */5', 'Etc/UTC');
    const after = (time: string) => next(new Date(time))?.toISOString();
    expect(after('2026-01-01T10:30:00Z')).toBe('2026-01-02T00:00:00.000Z');
    expect(after('2026-01-02T00:00:00Z')).toBe('2026-01-02T00:01:00.000Z');
    expect(after('2026-01-02T23:59:00Z')).toBe('2026-01-04T00:00:00.000Z');
    expect(after('2026-01-04T23:59:00Z')).toBe('2026-01-09T00:00:00.000Z');
  });

  it('never runs on 31 February', () => {
    expect(new World({ cronSpec: '0 0 31 2 *' }).plan().next).toBeUndefined();
  });
});

describe('parseSchedule', () => {
  it.each([
    ['every day', 'Etc/UTC'],
    ['* * * * * * *', 'Etc/UTC'],
    ['* * * * *', 'Mars/Olympus'],
  ])('rejects %s in %s', (cronSpec, timeZone) => {
    expect(() => parseSchedule(cronSpec, timeZone)).toThrow(TypeError);
  });
});
