import { ByteQueue } from '../byte-queue.ts';
import type { SpdyHeaders } from './header-block.ts';

/** More than this unread holds the whole connection back: SPDY clients of Kubernetes know no windows. */
const mostUnreadBytes = 1024 * 1024;
/** Longest frame that is written. */
const mostFrameBytes = 64 * 1024;

/** How a stream writes: through its connection. */
export interface SpdyStreamOutput {
  data(streamId: number, bytes: Uint8Array, options: { readonly fin: boolean }): Promise<void>;
  reset(streamId: number): void;
  /** Both sides have ended. */
  forget(streamId: number): void;
}

/** One stream of a connection: bytes both ways, each of which ends for itself. */
export class SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  /** What the client sends. */
  readonly input: ByteQueue = new ByteQueue();
  readonly #output: SpdyStreamOutput;
  #unwanted = false;
  #inputEnded = false;
  #outputEnded = false;
  #roomFound: () => void = () => {};

  constructor(id: number, parts: { readonly headers: SpdyHeaders; readonly output: SpdyStreamOutput }) {
    this.id = id;
    this.headers = parts.headers;
    this.#output = parts.output;
    this.input.drained = () => this.#roomFound();
  }

  /** Sends bytes; resolves when there is room for more. Nothing is sent after the end. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length && !this.#outputEnded; at += mostFrameBytes) {
      await this.#output.data(this.id, bytes.subarray(at, at + mostFrameBytes), { fin: false });
    }
  }

  /** Says that nothing more will be sent. */
  end(): void {
    if (this.#outputEnded) return;
    this.#outputEnded = true;
    void this.#output.data(this.id, new Uint8Array(0), { fin: true });
    this.#forgetIfOver();
  }

  /** Ends both ways at once. */
  reset(): void {
    if (this.#outputEnded && this.#inputEnded) return;
    this.#output.reset(this.id);
    this.aborted();
  }

  /** Throws away what still comes: nobody reads it any more. */
  discard(): void {
    this.#unwanted = true;
    this.#roomFound();
  }

  /** Bytes have come; resolves when there is room for more. Called by the connection. */
  async received(bytes: Uint8Array, options: { readonly fin: boolean }): Promise<void> {
    if (this.#inputEnded) return;
    if (bytes.length > 0 && !this.#unwanted) this.input.push(bytes);
    if (options.fin) {
      this.#inputEnded = true;
      this.input.end();
      this.#forgetIfOver();
      return;
    }
    if (this.input.size <= mostUnreadBytes || this.#unwanted) return;
    await new Promise<void>((resolve) => {
      this.#roomFound = resolve;
    });
  }

  /** The client has given the stream up, or the connection has ended. Called by the connection. */
  aborted(): void {
    this.#inputEnded = true;
    this.#outputEnded = true;
    this.input.end();
    this.#roomFound();
    this.#output.forget(this.id);
  }

  #forgetIfOver(): void {
    if (this.#inputEnded && this.#outputEnded) this.#output.forget(this.id);
  }
}
