import { describe, expect, it } from 'vitest';
import { proxyFromEnvironment } from './proxy-from-environment.ts';

describe('proxyFromEnvironment', () => {
  const env = (noProxy: string) => ({ HTTPS_PROXY: 'proxy:3128', NO_PROXY: noProxy });
  it.each([
    ['https://api.example.com', '', 'http://proxy:3128'],
    ['https://api.example.com', 'example.com', undefined],
    ['https://api.example.com', '.example.com', undefined],
    ['https://api.example.com', 'ample.com', 'http://proxy:3128'],
    ['https://api.example.com:6443', 'api.example.com:6443', undefined],
    ['https://api.example.com:6443', 'api.example.com:443', 'http://proxy:3128'],
    ['https://10.1.2.3:6443', '10.0.0.0/8', undefined],
    ['https://10.1.2.3:6443', '10.2.0.0/16', 'http://proxy:3128'],
    ['https://[fd00::1]:6443', 'fd00::/8', undefined],
    ['https://api.example.com', '*', undefined],
    ['https://127.0.0.1:6443', '', undefined],
    ['https://localhost:6443', '', undefined],
    ['http://api.example.com', '', undefined],
  ])('%s with NO_PROXY=%s goes through %s', (server, noProxy, expected) => {
    expect(proxyFromEnvironment(server, env(noProxy))).toBe(expected);
  });
});
