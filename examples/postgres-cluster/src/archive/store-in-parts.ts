import { text } from 'node:stream/consumers';
import { ArchiveError } from './archive-error.ts';
import { patientAttempts, type S3Client } from './s3-client.ts';
import { escapeXml, textOf } from './xml.ts';

/** The maximum number of parts that S3 accepts. */
const maxParts = 10_000;

/** A file that is too large for one request. */
export interface LargeFile {
  readonly name: string;
  readonly first: Buffer;
  readonly rest: AsyncIterable<Buffer>;
  readonly signal: AbortSignal;
}

/**
 * Stores a file as a multipart upload. The file is visible only after the upload is completed.
 *
 * @returns false if the file already exists
 */
export async function storeInParts(client: S3Client, { name, first, rest, signal }: LargeFile): Promise<boolean> {
  const created = await client.send({ method: 'POST', key: name, query: { uploads: '' }, signal, accept: [200] });
  const uploadId = textOf(await text(created), 'UploadId');
  if (uploadId === '') throw new ArchiveError('Invalid', `cannot upload ${name}: the archive returned no upload ID`);
  try {
    const tags: string[] = [];
    const store = async (body: Buffer) => {
      const partNumber = tags.length + 1;
      if (partNumber > maxParts) throw new ArchiveError('Invalid', `${name} is too large for the archive`);
      const query = { partNumber: String(partNumber), uploadId };
      const response = await client.send({
        method: 'PUT',
        key: name,
        query,
        body,
        signal,
        accept: [200],
        attempts: patientAttempts,
      });
      response.resume();
      tags.push(response.headers.etag ?? '');
    };
    await store(first);
    for await (const body of rest) await store(body);
    return await complete(client, { name, uploadId, tags, signal });
  } catch (error) {
    // Aborting has its own signal: it must run even if the upload was canceled, because the parts use storage until
    // they are aborted.
    const abort = { method: 'DELETE', key: name, query: { uploadId }, accept: [204, 404] } as const;
    const limit = AbortSignal.timeout(10_000); // seam: a limit for a real bucket
    await client.send({ ...abort, signal: limit }).then(
      (response) => response.resume(),
      // The original error is thrown below. `deleteInterrupted` aborts the upload later.
      () => undefined,
    );
    throw error;
  }
}

async function complete(
  client: S3Client,
  upload: {
    readonly name: string;
    readonly uploadId: string;
    readonly tags: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const { name, uploadId, tags, signal } = upload;
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
  );
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
  const headers = { 'if-none-match': '*', 'content-type': 'application/xml' };
  const response = await client.send({
    method: 'POST',
    key: name,
    query: { uploadId },
    headers,
    body,
    signal,
    accept: [200, 412],
    attempts: patientAttempts,
  });
  const answer = await text(response);
  if (response.statusCode === 412) return false;
  // S3 can send status 200 before the upload fails. The error is then in the body.
  const code = textOf(answer, 'Code');
  if (code !== '') throw new ArchiveError('Unavailable', `cannot complete ${name} in the archive: ${code}`);
  return true;
}
