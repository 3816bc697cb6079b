import { fail } from '../errors.ts';
import { decodeBase64, encodeBase64 } from '../values/base64.ts';
import { type Library, overload } from './library.ts';

/** `base64.encode` and `base64.decode`. Not available in Kubernetes rules. */
export const encodersLibrary: Library = {
  name: 'cel.lib.ext.encoders',
  overloads: [
    overload<[Uint8Array]>('::base64.encode(bytes) string', (_, bytes) => encodeBase64(bytes)),
    overload<[string]>('::base64.decode(string) bytes', (_, text) => decodeBase64(text) ?? fail('illegal base64 data')),
  ],
};
