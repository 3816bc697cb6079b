/**
 * Returns the proxy set in the environment (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`, or their lower-case forms), with the same
 * rules as Go programs. Loopback addresses never go through a proxy.
 */
export function proxyFromEnvironment(
  server: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const url = new URL(server);
  const read = (name: string): string | undefined => env[name] || env[name.toLowerCase()] || undefined;
  const proxy = read(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (proxy === undefined || host === 'localhost' || host === '::1' || /^127\./.test(host)) return undefined;
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const excluded = (read('NO_PROXY') ?? '')
    .split(',')
    .some((rule) => matches(rule.trim().toLowerCase(), { host, port }));
  if (excluded) return undefined;
  return proxy.includes('://') ? proxy : `http://${proxy}`;
}

// An import would load Node's sockets and streams at every start, which takes 3 ms, even if no connection needs them.
const net = (): typeof import('node:net') => process.getBuiltinModule('node:net');

function matches(rule: string, at: { readonly host: string; readonly port: string }): boolean {
  if (rule === '') return false;
  if (rule === '*') return true;
  if (rule.includes('/')) return inNetwork(rule, at.host);
  const withPort = /^(.*[^:]):(\d+)$/.exec(rule);
  const { isIP } = net();
  if (withPort && !isIP(rule)) {
    return withPort[2] === at.port && matches(withPort[1]?.replace(/^\[|\]$/g, '') ?? '', at);
  }
  if (isIP(rule)) return rule === at.host;
  if (rule.startsWith('*.') || rule.startsWith('.')) return at.host.endsWith(rule.replace(/^\*/, ''));
  return at.host === rule || at.host.endsWith(`.${rule}`);
}

function inNetwork(rule: string, host: string): boolean {
  const [network = '', bits = ''] = rule.split('/');
  const { BlockList, isIP } = net();
  const version = isIP(network);
  if (version === 0 || isIP(host) !== version || !/^\d{1,3}$/.test(bits)) return false;
  const prefix = Number(bits);
  if (prefix > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return list.check(host, family);
}
