export { SpdyConnection } from './spdy-connection.ts';
export type { SpdyStream } from './spdy-stream.ts';
