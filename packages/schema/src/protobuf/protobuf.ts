import { decodeProtobuf } from './decode.ts';
import { encodeProtobuf, encodeProtobufEvent, encodeProtobufItem, encodeProtobufList, hasProtobuf } from './encode.ts';

/** Kubernetes' protobuf form of the built-in kinds. */
export const protobuf: {
  decode(bytes: Uint8Array): Record<string, unknown>;
  readonly has: typeof hasProtobuf;
  readonly encode: typeof encodeProtobuf;
  readonly encodeItem: typeof encodeProtobufItem;
  readonly encodeList: typeof encodeProtobufList;
  readonly encodeEvent: typeof encodeProtobufEvent;
} = {
  decode: (bytes) => decodeProtobuf(bytes).object,
  has: hasProtobuf,
  encode: encodeProtobuf,
  encodeItem: encodeProtobufItem,
  encodeList: encodeProtobufList,
  encodeEvent: encodeProtobufEvent,
};
