import { describe, expect, it } from 'vitest';
import { isLongRunning, mayPause } from './long-running.ts';

describe('isLongRunning', () => {
  it.each([
    ['GET', '/api/v1/pods?watch=true'],
    ['GET', '/apis/apps/v1/namespaces/a/deployments?watch=1&limit=5'],
    ['GET', '/api/v1/pods?watch'],
    ['GET', '/api/v1/watch/namespaces/a/pods/b'],
    ['GET', '/api/v1/namespaces/a/pods/b/log?follow=true'],
    ['GET', '/api/v1/namespaces/a/pods/b/exec'],
    ['POST', '/api/v1/namespaces/a/pods/b/attach'],
    ['POST', '/api/v1/namespaces/a/pods/b/portforward'],
    ['POST', '/api/v1/namespaces/a/services/b/proxy/x'],
  ])('exempts %s %s', (method, path) => expect(isLongRunning(method, path)).toBe(true));

  it.each([
    ['GET', '/api/v1/pods'],
    ['GET', '/api/v1/pods?watch=false'],
    ['GET', '/api/v1/namespaces/a/pods/b?watch=true'],
    ['POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?watch=true'],
    ['POST', '/api/v1/watch/pods'],
    ['PUT', '/api/v1/namespaces/a/pods/b?watch=true'],
    ['DELETE', '/api/v1/namespaces/a/pods?watch=true'],
    ['POST', '/healthz?watch=true'],
    ['POST', '/api/v1/watch/pods'],
    ['POST', '/api/v1/%zz?watch=true'],
    ['GET', '/api/v1/namespaces/a/configmaps/log'],
  ])('gives %s %s a deadline', (method, path) => expect(isLongRunning(method, path)).toBe(false));
});

describe('mayPause', () => {
  it.each([
    ['/api/v1/namespaces/a/pods/b/log?follow=true', true],
    ['/api/v1/namespaces/a/services/b/proxy/x', true],
    ['/api/v1/pods?watch=true', false],
    ['/api/v1/watch/namespaces/a/pods/b', false],
    ['/api/v1/pods', false],
  ])('of GET %s is %s', (path, expected) => expect(mayPause('GET', path)).toBe(expected));
});
