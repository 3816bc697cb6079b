import { X509Certificate } from 'node:crypto';
import { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';
import { controller } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { deleteObject } from '../object-writes.ts';

const hourMs = 3_600_000;
/** Retention time of signed, denied and failed requests. */
const decidedMs = hourMs;
/** Retention time of pending requests, and of approved requests that are not signed yet. */
const pendingMs = 24 * hourMs;

/** Deletes outdated certificate signing requests. Checks each request every hour. Mirrors the cleaner controller (1.36). */
export function certificateCleaner(): BuiltInController {
  return {
    account: 'certificate-controller',
    definition: controller({
      name: 'csrcleaner',
      for: CertificateSigningRequest,
      async reconcile(csr, ctx) {
        if (!isOutdated(csr, ctx.clock.now())) return { requeueAfterMs: hourMs };
        await deleteObject(ctx, { kind: CertificateSigningRequest, object: csr });
        return undefined;
      },
    }),
  };
}

/** True if a request has exceeded its retention time, or if its certificate has expired. */
export function isOutdated({ metadata, status = {} }: CertificateSigningRequest, nowMs: number): boolean {
  const { conditions = [], certificate = '' } = status;
  const isOlder = (time: string | null | undefined, thanMs: number): boolean =>
    Boolean(time) && nowMs - Date.parse(time ?? '') > thanMs;
  const was = (type: string, longerAgoMs: number): boolean =>
    conditions.some((each) => each.type === type && isOlder(each.lastUpdateTime, longerAgoMs));
  if (conditions.length === 0 && isOlder(metadata.creationTimestamp, pendingMs)) return true;
  if (was('Denied', decidedMs) || was('Failed', decidedMs)) return true;
  if (certificate === '') return was('Approved', pendingMs);
  return (
    was('Approved', decidedMs) || (conditions.some(({ type }) => type === 'Approved') && isExpired(certificate, nowMs))
  );
}

function isExpired(base64: string, nowMs: number): boolean {
  try {
    return Date.parse(new X509Certificate(Buffer.from(base64, 'base64')).validTo) < nowMs;
  } catch {
    // As in upstream, a certificate that cannot be parsed counts as valid.
    return false;
  }
}
