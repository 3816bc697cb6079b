import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@kubewright/apimachinery';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateStore } from './certificate-store.ts';
import { KeyFolderError } from './key-folder.ts';

const dayMs = 86_400_000;
const adminSubject = { commonName: 'kubernetes-admin', organizations: ['system:masters', 'ops, "east"'] };

describe('CertificateStore', () => {
  let folder: string;
  let clock: VirtualClock;
  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'kw-certificates-')), 'keys');
    clock = new VirtualClock();
  });
  afterEach(async () => {
    await rm(join(folder, '..'), { recursive: true });
  });

  it('builds a chain with the names of the server', async () => {
    const store = await CertificateStore.open({ clock, hosts: ['192.0.2.7', '2001:db8::1', 'cluster.example'] });
    const [ca, serving] = [new X509Certificate(store.ca), new X509Certificate(store.serving.certificate)];
    expect(ca.ca).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect(serving.checkIssued(ca)).toBe(true);
    expect(serving.verify(ca.publicKey)).toBe(true);
    expect(serving.ca).toBe(false);
    for (const host of ['localhost', 'kubernetes.default.svc', 'cluster.example']) {
      expect(serving.checkHost(host)).toBe(host);
    }
    for (const address of ['127.0.0.1', '::1', '192.0.2.7', '2001:db8::1']) {
      expect(serving.checkIP(address)).toBe(address);
    }
    expect(serving.checkHost('example.org')).toBeUndefined();
  });

  it('puts the user and the groups of a client into its certificate', async () => {
    const store = await CertificateStore.open({ clock });
    const client = new X509Certificate((await store.clientCertificate('admin', adminSubject)).certificate);
    expect(client.subject).toBe('O=system:masters\nO=ops\\, \\"east\\"\nCN=kubernetes-admin');
    expect(client.verify(new X509Certificate(store.clientCa).publicKey)).toBe(true);
    expect(client.verify(new X509Certificate(store.ca).publicKey)).toBe(false);
    await expect(store.clientCertificate('../admin', adminSubject)).rejects.toThrow(TypeError);
  });

  it('keeps keys and certificates for the next start, readable only by their owner', async () => {
    const first = await CertificateStore.open({ folder, clock });
    const admin = await first.clientCertificate('admin', adminSubject);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(folder)) expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    const second = await CertificateStore.open({ folder, clock });
    expect(second.ca).toBe(first.ca);
    expect(second.serving).toEqual(first.serving);
    expect(second.serviceAccount).toEqual(first.serviceAccount);
    expect(await second.clientCertificate('admin', adminSubject)).toEqual(admin);
    expect(await second.clientCertificate('admin', { commonName: 'other' })).not.toEqual(admin);
  });

  it('issues a new server certificate for another host name', async () => {
    const first = await CertificateStore.open({ folder, clock });
    const second = await CertificateStore.open({ folder, clock, hosts: ['other.example'] });
    expect(second.serving).not.toEqual(first.serving);
    expect(second.ca).toBe(first.ca);
  });

  it('renews before expiry, and the CA before its certificates expire', async () => {
    const store = await CertificateStore.open({ folder, clock });
    const { ca, serving } = store;
    await clock.advance(200 * dayMs);
    expect(await store.renew()).toBe(false);
    await clock.advance(60 * dayMs);
    expect(await store.renew()).toBe(true);
    expect(store.serving).not.toEqual(serving);
    expect(store.ca).toBe(ca);
    clock.jumpWall(3650 * dayMs);
    expect(await store.renew()).toBe(true);
    expect(store.ca).not.toBe(ca);
    expect(new X509Certificate(store.serving.certificate).verify(new X509Certificate(store.ca).publicKey)).toBe(true);
  });

  it('replaces damaged files', async () => {
    const first = await CertificateStore.open({ folder, clock });
    await writeFile(join(folder, 'apiserver.crt'), first.serving.certificate.slice(0, 200));
    await writeFile(join(folder, 'sa.key'), 'nonsense');
    const second = await CertificateStore.open({ folder, clock });
    expect(second.serving).not.toEqual(first.serving);
    expect(second.serviceAccount).not.toEqual(first.serviceAccount);
    expect(await readFile(join(folder, 'sa.key'), 'utf8')).toBe(second.serviceAccount.privateKey);
  });

  it('explains why a folder cannot be used', async () => {
    const file = join(folder, '..', 'file');
    await writeFile(file, '');
    await chmod(file, 0o600);
    const error: unknown = await CertificateStore.open({ folder: file, clock }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(KeyFolderError);
    expect(error).toMatchObject({
      what: expect.stringContaining(file),
      why: expect.any(String),
      remedy: expect.any(String),
    });
  });
});
