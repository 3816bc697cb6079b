import { readFileSync } from 'node:fs';
import { StatusError, sleep, systemClock } from '@kubewright/apimachinery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNode, type Picture, refreshNode, runScenario, scenarios } from './testdata/scenarios.mjs';
import { TestControlPlane } from './testdata/test-control-plane.ts';

/** Matches the expected rejections, which come from quotas that a scenario creates. */
const quota = /exceeded quota|is forbidden: (?!User)/;

const recorded = JSON.parse(
  readFileSync(new URL('./testdata/states-1.36.3.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly Picture[]>>;

describe('built-in controllers', () => {
  let plane: TestControlPlane;
  let heartbeat: ReturnType<typeof setInterval> | undefined;

  const call = async (method: string, path: string, body?: unknown, type = 'application/json') => {
    try {
      const headers = { accept: 'application/json', 'content-type': type };
      return { status: 200, json: await plane.client.request({ method, path, body, headers }) };
    } catch (error) {
      if (error instanceof StatusError) return { status: error.httpStatus, json: error.status };
      throw error;
    }
  };
  const pause = () => sleep(systemClock, { ms: 20 });

  beforeAll(async () => {
    plane = await TestControlPlane.start(process.env['KW_LOG'] ? { log: process.stdout } : {});
    await createNode(call);
    // Without heartbeats, the node lifecycle controller would mark the node as unreachable.
    heartbeat = setInterval(() => void refreshNode(call), 5_000);
  });
  afterAll(async () => {
    clearInterval(heartbeat);
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
    // Each controller runs under its own account, whose bootstrap role permits every request that the controller sends in these
    // scenarios.
    expect(plane.rejections.filter((text) => !quota.test(text))).toEqual([]);
  });

  it.concurrent.each(Object.keys(scenarios))(
    'produce the same objects as the upstream controllers: %s',
    async (name) => {
      const namespace = `kw${Object.keys(scenarios).indexOf(name)}-parity`;
      const pictures = await runScenario(name, { call, namespace, pause, patience: 1_500 });
      expect(pictures).toEqual(recorded[name]);
    },
    60_000,
  );
});
