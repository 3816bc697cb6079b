export { negotiateOutput, type OutputChoices, type OutputFormat, wantsPretty } from './accept.ts';
export { mediaTypeOf, type ProtobufDecoder, readBodyObject } from './decode-object.ts';
export { readRequestBody } from './request-body.ts';
