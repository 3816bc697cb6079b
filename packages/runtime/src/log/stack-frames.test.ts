import { describe, expect, it } from 'vitest';
import { errorNameOf, framesForPeople, framesOfPackages } from './stack-frames.ts';

const stack = `TypeError: Cannot read properties of undefined (reading 'x')
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at async Pool.query (/app/node_modules/pg/lib/pool.js:10:3)
    at async ControllerLoop.#call (file:///app/node_modules/@kubewright/runtime/dist/controller/controller-loop.js:200:9)
    at async Promise.all (index 0)
    at async reconcile (file:///app/src/site.ts:12:5)`;

describe('framesForPeople', () => {
  it('shows the frames of user code first, then of dependencies, and none of Node or the runtime', () => {
    expect(framesForPeople(stack)).toEqual([
      '    at async reconcile (file:///app/src/site.ts:12:5)',
      '    at async Pool.query (/app/node_modules/pg/lib/pool.js:10:3)',
    ]);
  });

  it('shows internal frames if there are no others', () => {
    const inside = stack.split('\n').filter((line) => !/site|pg/.test(line));
    expect(framesForPeople(inside.join('\n'))).toHaveLength(2);
    expect(framesForPeople('Error: no frames')).toEqual([]);
  });

  it('recognizes the packages of this project in a checkout', () => {
    const here = new Error('x').stack ?? '';
    const outside = `${here}\n    at reconcile (/app/src/site.ts:1:2)`;
    expect(framesForPeople(outside).filter((frame) => frame.includes('runtime/src'))).toEqual([]);
    expect(framesForPeople(outside)).toContain('    at reconcile (/app/src/site.ts:1:2)');
  });
});

describe('framesOfPackages', () => {
  const clone = 'file:///home/me/my (old) clone/packages';
  const isInternal = framesOfPackages(`${clone}/runtime/dist/index.js`);

  it('recognizes built packages in a clone linked by `file:` dependencies', () => {
    const linked = `TypeError: x
    at ControllerLoop.#call (${clone}/runtime/dist/index.js:3000:9)
    at ResourceClient.get (${clone}/client/dist/index.js:10:9)
    at async reconcile (file:///home/me/echo-operator/main.ts:12:5)`;
    expect(framesForPeople(linked, isInternal)).toEqual([
      '    at async reconcile (file:///home/me/echo-operator/main.ts:12:5)',
    ]);
  });

  it('does not match other folders next to the packages, and matches installed packages', () => {
    expect(isInternal(`    at reconcile (${clone}/shop/src/main.ts:1:1)`)).toBe(false);
    expect(isInternal(`    at reconcile (/elsewhere/packages/client/src/main.ts:1:1)`)).toBe(false);
    expect(isInternal('    at get (file:///a/node_modules/@kubewright/client/dist/index.js:1:1)')).toBe(true);
    const ofBundle = framesOfPackages('file:///app/main.js');
    expect(ofBundle('    at reconcile (file:///app/main.js:1:1)')).toBe(false);
  });
});

describe('errorNameOf', () => {
  it('returns the class of an error if it is more specific than Error', () => {
    expect(errorNameOf(stack)).toBe('TypeError');
    expect(errorNameOf('Error: x')).toBeUndefined();
    expect(errorNameOf('TypeError [ERR_X]: x')).toBe('TypeError');
    expect(errorNameOf('something else')).toBeUndefined();
  });
});
