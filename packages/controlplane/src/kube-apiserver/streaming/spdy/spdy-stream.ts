import { ByteQueue } from '../byte-queue.ts';
import type { SpdyHeaders } from './header-block.ts';

/**
 * Maximum number of unread bytes. Beyond it, the whole connection waits, because Kubernetes' SPDY clients have no
 * flow-control windows.
 */
const maxUnreadBytes = 1024 * 1024;
/** Maximum payload of a data frame that is sent. */
const maxFrameBytes = 64 * 1024;

/** The destination of a stream's frames: its connection. */
export interface SpdyStreamOutput {
  data(streamId: number, bytes: Uint8Array, options: { readonly fin: boolean }): Promise<void>;
  reset(streamId: number): void;
  /** Called when both directions have ended. */
  forget(streamId: number): void;
}

/** A stream of a connection. Either side can end its direction separately. */
export class SpdyStream {
  readonly id: number;
  readonly headers: SpdyHeaders;
  /** Bytes received from the client. */
  readonly input: ByteQueue = new ByteQueue();
  readonly #output: SpdyStreamOutput;
  #unwanted = false;
  #inputEnded = false;
  #outputEnded = false;
  #roomFound: () => void = () => {};
  /** Resolves after the last write. Writes are sent in order, even if callers do not wait for them. */
  #written: Promise<void> = Promise.resolve();

  constructor(id: number, parts: { readonly headers: SpdyHeaders; readonly output: SpdyStreamOutput }) {
    this.id = id;
    this.headers = parts.headers;
    this.#output = parts.output;
    this.input.drained = () => this.#roomFound();
  }

  /** Sends bytes. Resolves when the connection can take more. Does nothing after the stream has ended. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#afterWrites(async () => {
      for (let at = 0; at < bytes.length && !this.#outputEnded; at += maxFrameBytes) {
        await this.#output.data(this.id, bytes.subarray(at, at + maxFrameBytes), { fin: false });
      }
    });
  }

  /** Ends the server's direction after all earlier writes. */
  end(): Promise<void> {
    return this.#afterWrites(async () => {
      if (this.#outputEnded) return;
      this.#outputEnded = true;
      void this.#output.data(this.id, new Uint8Array(0), { fin: true });
      this.#forgetIfOver();
    });
  }

  /** Ends both directions immediately. */
  reset(): void {
    if (this.#outputEnded && this.#inputEnded) return;
    this.#output.reset(this.id);
    this.aborted();
  }

  /** Drops all further input; called once nothing reads it. */
  discard(): void {
    this.#unwanted = true;
    this.#roomFound();
  }

  /** Handles received bytes. Resolves when the stream can take more. Called by the connection. */
  async received(bytes: Uint8Array, options: { readonly fin: boolean }): Promise<void> {
    if (this.#inputEnded) return;
    if (bytes.length > 0 && !this.#unwanted) this.input.push(bytes);
    if (options.fin) {
      this.#inputEnded = true;
      this.input.end();
      this.#forgetIfOver();
      return;
    }
    if (this.input.size <= maxUnreadBytes || this.#unwanted) return;
    await new Promise<void>((resolve) => {
      this.#roomFound = resolve;
    });
  }

  /** Ends the stream because the client has reset it or the connection has ended. Called by the connection. */
  aborted(): void {
    this.#inputEnded = true;
    this.#outputEnded = true;
    this.input.end();
    this.#roomFound();
    this.#output.forget(this.id);
  }

  #afterWrites(go: () => Promise<void>): Promise<void> {
    this.#written = this.#written.then(go);
    return this.#written;
  }

  #forgetIfOver(): void {
    if (this.#inputEnded && this.#outputEnded) this.#output.forget(this.id);
  }
}
