import { seededRandom } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import { virtualNode } from '../virtual-node.ts';
import { nodeMetadata } from './node-description.ts';

it('leaves the annotations of controllers alone', () => {
  const facts = virtualNode({ nodeName: 'n', driver: 'simulated', description: 'A test.', random: seededRandom(1) });
  // The TTL controller sets its annotation by the number of nodes. A node that wrote its own value would undo this
  // write again and again.
  expect(Object.keys(nodeMetadata(facts).annotations ?? {})).toEqual([
    'kubewright.dev/driver',
    'kubewright.dev/description',
  ]);
});
