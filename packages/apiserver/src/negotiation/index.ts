export {
  acceptsServedType,
  type MetaVersion,
  negotiateOutput,
  type OutputChoices,
  type OutputFormat,
  watchMediaType,
} from './accept.ts';
export { mediaTypeOf, readBodyObject } from './decode-object.ts';
export type { ObjectType, ProtobufCodec } from './protobuf-codec.ts';
export { readRequestBody } from './request-body.ts';
