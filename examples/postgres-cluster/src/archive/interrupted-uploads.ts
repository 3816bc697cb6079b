import { text } from 'node:stream/consumers';
import type { S3Client } from './s3-client.ts';
import { elementsOf, textOf } from './xml.ts';

/**
 * Aborts multipart uploads that began before `before` and were never completed, for example because the process was killed. Their
 * parts are not listed, but use storage until the upload is aborted.
 *
 * @returns the keys of the aborted uploads
 */
export async function deleteInterruptedUploads(
  client: S3Client,
  { prefix, before, signal }: { readonly prefix: string; readonly before: Date; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let marker: Readonly<Record<string, string>> = {}; ; ) {
    const query = { uploads: '', prefix, ...marker };
    const page = await text(await client.send({ method: 'GET', key: '', query, signal, accept: [200] }));
    for (const upload of elementsOf(page, 'Upload')) {
      const [key, uploadId] = [textOf(upload, 'Key'), textOf(upload, 'UploadId')];
      // Some services ignore the prefix.
      if (!key.startsWith(prefix) || !(Date.parse(textOf(upload, 'Initiated')) < before.getTime())) continue;
      const response = await client.send({ method: 'DELETE', key, query: { uploadId }, signal, accept: [204, 404] });
      response.resume();
      found.push(key);
    }
    if (textOf(page, 'IsTruncated') !== 'true') return found;
    marker = {
      'key-marker': textOf(page, 'NextKeyMarker'),
      'upload-id-marker': textOf(page, 'NextUploadIdMarker'),
    };
  }
}
