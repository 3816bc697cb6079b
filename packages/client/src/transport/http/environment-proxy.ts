import type { Socket } from 'node:net';
import type { ConnectionOptions, SecureContext } from 'node:tls';
import { proxyFromEnvironment } from '../../config/proxy-from-environment.ts';
import { TransportError } from '../transport-error.ts';
import { openTunnel, proxyCredentials, proxyTls, type TunnelTarget } from './proxy-tunnel.ts';

/** The proxy that the environment sets for requests to servers other than the API server. */
export class EnvironmentProxy {
  readonly url: URL;

  private constructor(url: URL) {
    this.url = url;
  }

  /**
   * Returns the proxy for a URL, following the rules of {@link proxyFromEnvironment}; undefined if requests go directly to the server.
   *
   * @throws TransportError `KW2009` if the proxy's address is invalid or has an unsupported protocol.
   */
  static for(url: URL, env: Readonly<Record<string, string | undefined>>): EnvironmentProxy | undefined {
    const address = proxyFromEnvironment(url.href, env);
    if (address === undefined) return undefined;
    const proxy = URL.canParse(address) ? new URL(address) : undefined;
    if (proxy && (proxy.protocol === 'http:' || proxy.protocol === 'https:')) return new EnvironmentProxy(proxy);
    // The message omits the address, which may contain a password.
    const why = proxy ? 'only http and https proxies are supported' : 'the address of the proxy is not a valid URL';
    const variable = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
    throw new TransportError('KW2009', { what: `cannot use the proxy in ${variable}`, why }, { sent: false });
  }

  /** The header with the user and password from the proxy's address, if any. */
  get credentials(): Readonly<Record<string, string>> {
    return proxyCredentials(this.url);
  }

  /** Returns the TLS options of requests to an HTTPS proxy; none for an HTTP proxy. */
  tls(secureContext: SecureContext): ConnectionOptions {
    return proxyTls(this.url, secureContext);
  }

  /** Opens a tunnel to a server. @throws TransportError `KW2009` if the proxy rejects the tunnel or is unreachable. */
  tunnel(target: TunnelTarget): Promise<Socket> {
    return openTunnel(this.url, target);
  }
}
