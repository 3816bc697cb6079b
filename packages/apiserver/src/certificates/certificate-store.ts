import * as crypto from 'node:crypto';
// Import node:tls first: Node leaves tls.createSecureContext undefined if a certificate's toLegacyObject() runs before
// that module is loaded.
import 'node:tls';
import { type Clock, issueCertificate } from '@kubewright/apimachinery';
import type { CertificateSubject, KeyPair } from '@kubewright/apimachinery/internal';
import { KeyFolder } from './key-folder.ts';

/** Options for {@link CertificateStore.open}. */
export interface CertificateOptions {
  /**
   * Folder for keys and certificates (0700, files 0600). @defaultValue none: keys stay in memory and are recreated at each start
   */
  readonly folder?: string | undefined;
  readonly clock: Clock;
  /** Names and addresses of the server, in addition to the defaults. */
  readonly hosts?: readonly string[] | undefined;
}

const dayMs = 86_400_000;
const authority = { lifeMs: 3650 * dayMs, renewMs: 730 * dayMs };
const leaf = { lifeMs: 365 * dayMs, renewMs: 120 * dayMs };
/** The time by which certificates are backdated, in milliseconds, because clocks differ between machines. */
const backdateMs = 3_600_000;

const serverHosts: readonly string[] = [
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '127.0.0.1',
  '::1',
  '10.96.0.1',
];

interface Wanted {
  readonly subject: CertificateSubject;
  readonly usage: 'authority' | 'server' | 'client';
  readonly hosts?: readonly string[];
  readonly issuer?: Authority;
}

interface Authority extends KeyPair {
  readonly subject: CertificateSubject;
}

/** The keys of a cluster: three CAs, the server's certificate, and the key that signs service account tokens. */
export class CertificateStore {
  /** The name in the certificate that the server presents when it forwards requests. */
  static readonly frontProxyName = 'front-proxy-client';

  readonly #folder: KeyFolder;
  readonly #clock: Clock;
  readonly #hosts: readonly string[];
  #authority: Authority | undefined;
  #clientAuthority: Authority | undefined;
  #requestHeaderAuthority: Authority | undefined;
  #serving: KeyPair | undefined;
  #serviceAccount: { readonly privateKey: string; readonly publicKey: string } | undefined;

  private constructor(folder: KeyFolder, options: CertificateOptions) {
    this.#folder = folder;
    this.#clock = options.clock;
    this.#hosts = [...new Set([...serverHosts, ...(options.hosts ?? [])])];
  }

  /**
   * Opens the keys of a cluster: reads the stored keys and certificates that are still valid, and creates all others.
   *
   * @throws KeyFolderError when the folder cannot be used; its message states the action, the reason and the fix.
   */
  static async open(options: CertificateOptions): Promise<CertificateStore> {
    const folder = new KeyFolder(options.folder);
    await folder.prepare();
    const store = new CertificateStore(folder, options);
    await store.renew();
    store.#serviceAccount = await store.#serviceAccountKey();
    return store;
  }

  /** Certificate of the CA that clients trust: the `certificate-authority-data` of a kubeconfig, in PEM format. */
  get ca(): string {
    return opened(this.#authority).certificate;
  }

  /** The server's key and certificate. */
  get serving(): KeyPair {
    return opened(this.#serving);
  }

  /** Certificate of the CA that signs client certificates, in PEM format. */
  get clientCa(): string {
    return opened(this.#clientAuthority).certificate;
  }

  /** The CA that signs client certificates: its key, its certificate and the certificate's subject. */
  get clientSigner(): KeyPair & { readonly subject: CertificateSubject } {
    return opened(this.#clientAuthority);
  }

  /** Certificate of the CA that identifies the server when it forwards requests, in PEM format. */
  get requestHeaderCa(): string {
    return opened(this.#requestHeaderAuthority).certificate;
  }

  /** The key pair that signs service account tokens (ES256), in PEM format: PKCS #8 and SPKI. */
  get serviceAccount(): { readonly privateKey: string; readonly publicKey: string } {
    return opened(this.#serviceAccount);
  }

  /** Renews certificates that expire soon; returns true if {@link serving} changed. Call it once a day. */
  async renew(): Promise<boolean> {
    const before = this.#serving?.certificate;
    this.#authority = await this.#keepAuthority('ca', { commonName: 'kubewright-ca' });
    this.#clientAuthority = await this.#keepAuthority('client-ca', { commonName: 'kubewright-client-ca' });
    this.#requestHeaderAuthority = await this.#keepAuthority('requestheader-ca', {
      commonName: 'kubewright-requestheader-ca',
    });
    this.#serving = await this.#keep('apiserver', {
      subject: { commonName: 'kube-apiserver' },
      usage: 'server',
      hosts: this.#hosts,
      issuer: this.#authority,
    });
    return this.#serving.certificate !== before;
  }

  /**
   * Returns a user's certificate. Issues a new certificate if none exists, or if the existing certificate expires soon
   * or has a different subject.
   *
   * @param name - file name without extension: lower-case letters, digits and `-`.
   */
  async clientCertificate(name: string, subject: CertificateSubject): Promise<KeyPair> {
    if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(name)) {
      throw new TypeError(
        `${JSON.stringify(name)} is not a valid certificate name; use lower-case letters, digits and "-"`,
      );
    }
    return this.#keep(`client-${name}`, { subject, usage: 'client', issuer: opened(this.#clientAuthority) });
  }

  /** Returns the certificate that the server presents when it forwards requests; issued on first use. */
  async frontProxyCertificate(): Promise<KeyPair> {
    const issuer = opened(this.#requestHeaderAuthority);
    const subject = { commonName: CertificateStore.frontProxyName };
    return this.#keep('front-proxy-client', { subject, usage: 'client', issuer });
  }

  async #keepAuthority(name: string, subject: CertificateSubject): Promise<Authority> {
    return { ...(await this.#keep(name, { subject, usage: 'authority' })), subject };
  }

  async #keep(name: string, wanted: Wanted): Promise<KeyPair> {
    const [key, certificate] = await Promise.all([this.#folder.read(`${name}.key`), this.#folder.read(`${name}.crt`)]);
    if (key && certificate && isUsable({ key, certificate }, { wanted, nowMs: this.#clock.now() })) {
      return { key, certificate };
    }
    const made = this.#issue(wanted);
    // Write the key first: a key without its certificate is detected at the next start, and both are recreated.
    await this.#folder.write(`${name}.key`, made.key);
    await this.#folder.write(`${name}.crt`, made.certificate);
    return made;
  }

  #issue(wanted: Wanted): KeyPair {
    const nowMs = this.#clock.now();
    const { subject, usage, hosts, issuer } = wanted;
    const { lifeMs } = usage === 'authority' ? authority : leaf;
    const life = { notBeforeMs: nowMs - backdateMs, notAfterMs: nowMs + lifeMs };
    return issueCertificate({ subject, usage, hosts, issuer, ...life }, crypto);
  }

  async #serviceAccountKey(): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
    const kept = await this.#folder.read('sa.key');
    const publicKey = kept === undefined ? undefined : publicHalf(kept);
    if (kept !== undefined && publicKey !== undefined) return { privateKey: kept, publicKey };
    const made = crypto.generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    await this.#folder.write('sa.key', made.privateKey);
    return made;
  }
}

function isUsable(pair: KeyPair, options: { readonly wanted: Wanted; readonly nowMs: number }): boolean {
  const { wanted, nowMs } = options;
  try {
    const certificate = new crypto.X509Certificate(pair.certificate);
    const { renewMs } = wanted.usage === 'authority' ? authority : leaf;
    const issuer = wanted.issuer ? new crypto.X509Certificate(wanted.issuer.certificate) : certificate;
    return (
      certificate.checkPrivateKey(crypto.createPrivateKey(pair.key)) &&
      certificate.verify(issuer.publicKey) &&
      Date.parse(certificate.validFrom) <= nowMs &&
      Date.parse(certificate.validTo) - renewMs > nowMs &&
      isNamed(certificate, wanted.subject) &&
      (wanted.hosts ?? []).every((host) => certificate.checkHost(host) ?? certificate.checkIP(host))
    );
  } catch {
    // An unreadable file counts as missing.
    return false;
  }
}

function isNamed(certificate: crypto.X509Certificate, subject: CertificateSubject): boolean {
  const found = certificate.toLegacyObject().subject as { readonly CN?: string; readonly O?: string | string[] };
  const organizations = subject.organizations ?? [];
  return found.CN === subject.commonName && [found.O ?? []].flat().join('\n') === organizations.join('\n');
}

function publicHalf(privateKey: string): string | undefined {
  try {
    return crypto.createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  } catch {
    // A broken key also counts as missing. It is replaced, which invalidates tokens signed with it.
    return undefined;
  }
}

function opened<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the keys are not loaded; create the store with CertificateStore.open()');
  return value;
}
