import { describe, expect, it } from 'vitest';
import type { InstanceStatus, Progress } from './api/v1/instance.ts';
import type { OperatorVersionSpec, Plan, Strategy } from './api/v1/operator-version.ts';
import { chooseRun } from './choose-plan.ts';
import { overall, phasesAfter, runnableSteps } from './plan-progress.ts';
import { objectsOf } from './render.ts';
import { InvalidInstance } from './typed.ts';

const step = (name: string) => ({ name, resources: [] });

function planOf(name: string, strategy: Strategy = 'serial'): Plan {
  const phases = [
    { name: 'one', strategy, steps: [step('a'), step('b')] },
    { name: 'two', strategy, steps: [step('c')] },
  ];
  return { name, strategy, phases };
}

const version: OperatorVersionSpec = {
  parameters: [
    { name: 'MESSAGE' },
    { name: 'REPLICAS', default: '1', type: 'integer', trigger: 'scale' },
    { name: 'DEBUG', default: 'false', type: 'boolean' },
  ],
  plans: [planOf('deploy'), planOf('scale')],
};
const choose = (parameters: Readonly<Record<string, string>>, status?: InstanceStatus) =>
  chooseRun(version, { spec: { operatorVersion: 'web', parameters }, status }).status;

describe('chooseRun', () => {
  const first = choose({ MESSAGE: 'hi' });
  const done: InstanceStatus = { ...first, progress: 'Complete' };

  it('starts with the plan deploy and all parameters', () => {
    expect(first).toMatchObject({
      run: 1,
      plan: 'deploy',
      progress: 'InProgress',
      parameters: { MESSAGE: 'hi', REPLICAS: '1', DEBUG: 'false' },
    });
  });

  it('continues a stored run, and does not repeat a complete one', () => {
    expect(choose({ MESSAGE: 'hi' }, first)).toBe(first);
    expect(choose({ MESSAGE: 'hi' }, done)).toBe(done);
  });

  it.each<[string, Readonly<Record<string, string>>, InstanceStatus, object]>([
    ['starts the plan of a changed parameter', { MESSAGE: 'hi', REPLICAS: '3' }, done, { run: 2, plan: 'scale' }],
    ['restarts a plan whose parameter changed while it ran', { MESSAGE: 'ho' }, first, { run: 2, plan: 'deploy' }],
    ['lets a plan end before another starts', { MESSAGE: 'hi', REPLICAS: '3' }, first, { run: 1, plan: 'deploy' }],
    [
      'runs the plan of a changed parameter after a failure',
      { MESSAGE: 'ho' },
      { ...done, progress: 'Failed' },
      { run: 2 },
    ],
  ])('%s', (_, parameters, status, expected) => {
    expect(choose(parameters, status)).toMatchObject(expected);
  });

  it('runs one plan after the other if parameters of both changed', () => {
    const second = choose({ MESSAGE: 'ho', REPLICAS: '3' }, done);
    expect(second).toMatchObject({ run: 2, plan: 'deploy', parameters: { MESSAGE: 'ho', REPLICAS: '1' } });
    const third = choose({ MESSAGE: 'ho', REPLICAS: '3' }, { ...second, progress: 'Complete' });
    expect(third).toMatchObject({ run: 3, plan: 'scale', parameters: { MESSAGE: 'ho', REPLICAS: '3' } });
  });

  it.each([
    ['the parameter MESSAGE is required', {}],
    ['the operator has no parameter COLOR', { MESSAGE: 'hi', COLOR: 'red' }],
    ['the parameter REPLICAS is not a valid integer: ""', { MESSAGE: 'hi', REPLICAS: '' }],
    ['the parameter REPLICAS is not a valid integer: "many"', { MESSAGE: 'hi', REPLICAS: 'many' }],
    ['the parameter REPLICAS is not a valid integer: "1.5"', { MESSAGE: 'hi', REPLICAS: '1.5' }],
    ['the parameter DEBUG is not a valid boolean: "True"', { MESSAGE: 'hi', DEBUG: 'True' }],
  ])('reports that %s', (message, parameters) => {
    expect(() => choose(parameters)).toThrow(message);
  });
});

describe('runnableSteps', () => {
  /** Runs a plan to its end; returns the names of the steps of each round. */
  function rounds(plan: Plan): readonly string[] {
    let phases = phasesAfter(plan, {});
    const names: string[] = [];
    for (let steps = runnableSteps(plan, { phases }); steps.length > 0; steps = runnableSteps(plan, { phases })) {
      names.push(steps.map(({ name }) => name).join(' '));
      phases = phasesAfter(plan, { phases }, new Map(steps.map((step) => [step, { ...step, progress: 'Complete' }])));
    }
    expect(overall(phases)).toBe('Complete');
    return names;
  }

  it('runs serial phases and steps one by one', () => {
    expect(rounds(planOf('p', 'serial'))).toEqual(['a', 'b', 'c']);
  });

  it('runs parallel phases and steps together', () => {
    expect(rounds(planOf('p', 'parallel'))).toEqual(['a b c']);
  });

  it.each<Progress>(['InProgress', 'Failed'])('runs nothing after a step that is %s', (progress) => {
    const plan = planOf('p');
    const [a] = runnableSteps(plan, {});
    const result = { name: 'a', progress, message: 'web is not ready' };
    const phases = phasesAfter(plan, {}, new Map([[a!, result]]));
    expect(overall(phases)).toBe(progress);
    expect(phases[0]).toEqual({ name: 'one', progress, steps: [result, { name: 'b', progress: 'Pending' }] });
    expect(runnableSteps(plan, { phases }).map(({ name }) => name)).toEqual(['a']);
  });
});

describe('objectsOf', () => {
  const parameters = [{ name: 'N', type: 'integer' as const }, { name: 'B', type: 'boolean' as const }, { name: 'S' }];
  const rendered = (manifest: object) =>
    objectsOf(
      { name: 'step', resources: [{ kind: 'ConfigMap', ...manifest }] },
      { parameters, plans: [] },
      { parameters: { N: '3', B: 'true', S: '5' } },
    )[0];

  it('replaces placeholders with values of the parameter type', () => {
    const manifest = { a: '{{N}}', b: ['{{ B }}', '{{S}}'], c: 'n={{N}} s={{S}}', d: 1 };
    expect(rendered(manifest)).toEqual({ kind: 'ConfigMap', a: 3, b: [true, '5'], c: 'n=3 s=5', d: 1 });
  });

  it('rejects unknown parameters and other kinds', () => {
    expect(() => rendered({ a: '{{X}}' })).toThrow(new InvalidInstance('a manifest uses the unknown parameter X'));
    const message = 'a plan can apply ConfigMap, Service, Deployment, StatefulSet, Job, not Pod';
    expect(() => rendered({ kind: 'Pod' })).toThrow(new InvalidInstance(message));
  });
});
