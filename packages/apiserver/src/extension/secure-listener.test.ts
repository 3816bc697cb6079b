import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { VirtualClock } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import { SecureListener } from './secure-listener.ts';
import { ownCertificate } from './serving-certificate.ts';

const clock = new VirtualClock(Date.now());
const issue = (name: string) => ownCertificate({ hosts: [name], nowMs: clock.now() });

async function servedName(url: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

it('applies a new certificate even if its files were read when only one of them was replaced', async () => {
  const certificates = mkdtempSync(join(tmpdir(), 'kw-certificates-'));
  const write = (file: string, text: string): void => writeFileSync(join(certificates, file), text);
  const [old, next] = [issue('old'), issue('next')];
  const errors: unknown[] = [];
  try {
    write('tls.crt', old.certificate);
    write('tls.key', old.key);
    const handle = async () => ({ status: 200, headers: {}, body: new Uint8Array() });
    const onError = (error: unknown): void => void errors.push(error);
    await using listener = await SecureListener.start(
      { handle, host: '127.0.0.1', port: 0, certificates, hostnames: [], clock, onError },
      { clientAuthorities: '' },
    );
    write('tls.crt', next.certificate);
    const refreshed = async (): Promise<number> => {
      await clock.advance(60_000);
      return errors.length;
    };
    await expect.poll(refreshed).toBeGreaterThan(0);
    expect(await servedName(listener.url)).toBe('old');
    write('tls.key', next.key);
    const name = async (): Promise<string> => {
      await clock.advance(60_000);
      return servedName(listener.url);
    };
    await expect.poll(name).toBe('next');
  } finally {
    rmSync(certificates, { recursive: true, force: true });
  }
});
