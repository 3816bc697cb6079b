export {
  type DecodedProtobuf,
  decodeProtobuf,
  isProtobuf,
  type ProtobufLimits,
  protobufMediaType,
} from './decode.ts';
export { ProtobufError, type ProtobufFault } from './protobuf-error.ts';
