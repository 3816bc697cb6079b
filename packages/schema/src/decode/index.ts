export { DecodeError } from './decode-error.ts';
export { type Decoded, type DecodeOptions, decodeValue } from './decode-value.ts';
export { normalizeTime } from './parse-time.ts';
export { strictDecodingMessage } from './strict-message.ts';
