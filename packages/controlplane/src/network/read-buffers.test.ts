import { expect, it } from 'vitest';
import { ReadBuffers } from './read-buffers.ts';

const small = 65_536;
const large = 524_288;

it('lends a large buffer to a connection only while its reads fill more than a small one', () => {
  const shared = new ReadBuffers();
  const buffers = shared.forConnection();
  const first = buffers.current;
  expect(first.length).toBe(small);
  buffers.advance({ bytes: small, isInUse: false });
  const second = buffers.current;
  expect(second.length).toBe(large);
  buffers.advance({ bytes: 200_000, isInUse: false });
  expect(buffers.current).toBe(second);
  buffers.advance({ bytes: 10, isInUse: false });
  expect(buffers.current).toBe(first);
  // Another connection gets the same memory.
  expect(shared.take()).toBe(second);
});

it('does not reuse a buffer before it has been written', () => {
  const shared = new ReadBuffers();
  const buffers = shared.forConnection();
  const first = buffers.current;
  buffers.advance({ bytes: 10, isInUse: true });
  const second = buffers.current;
  expect(second).not.toBe(first);
  buffers.advance({ bytes: small, isInUse: true });
  const third = buffers.current;
  buffers.advance({ bytes: large, isInUse: true });
  const fourth = buffers.current;
  expect(new Set([first, second, third, fourth]).size).toBe(4);
  buffers.release(third);
  expect(shared.take()).toBe(third);
  buffers[Symbol.dispose]();
  expect(shared.take()).toBe(fourth);
});
