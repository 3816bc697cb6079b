import { connect } from 'node:http2';

const lineFeed = 0x0a;

/** An HTTP/2 client connection with minimal overhead. */
export class Connection {
  #session;
  #authorization;

  constructor(session, token) {
    this.#session = session;
    this.#authorization = `Bearer ${token}`;
  }

  /** Connects and waits for the handshake. */
  static async open({ url, token }) {
    const settings = { initialWindowSize: 4 * 2 ** 20, enablePush: false };
    const session = connect(url, { rejectUnauthorized: false, settings, maxSessionMemory: 1024 });
    await new Promise((resolve, reject) => {
      session.once('connect', resolve);
      session.once('error', reject);
    });
    session.setLocalWindowSize(64 * 2 ** 20);
    return new Connection(session, token);
  }

  /** Posts a body; resolves after the complete response, and rejects unless its status is 201. */
  post(path, body) {
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': path,
      authorization: this.#authorization,
      'content-type': 'application/json',
      'content-length': body.length,
    });
    stream.end(body);
    return answer(stream, { path, expected: 201 });
  }

  /** Sends a GET; rejects unless the status is 200. */
  get(path) {
    return answer(this.#session.request({ ':path': path, authorization: this.#authorization }), {
      path,
      expected: 200,
    });
  }

  /** Watches a path; resolves when the stream is open, then calls `onLines` with the number of lines in each chunk. */
  watch(path, onLines) {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({ ':path': path, authorization: this.#authorization });
      stream.once('response', (headers) => {
        if (headers[':status'] === 200) resolve();
        else reject(new Error(`${path} returned ${headers[':status']}`));
      });
      stream.on('data', (chunk) => {
        let lines = 0;
        for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, at + 1)) lines++;
        if (lines > 0) onLines(lines);
      });
      stream.on('error', reject);
    });
  }
}

function answer(stream, { path, expected }) {
  return new Promise((resolve, reject) => {
    let status;
    const chunks = [];
    stream.on('response', (headers) => {
      status = headers[':status'];
    });
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      const body = Buffer.concat(chunks);
      if (status === expected) resolve(body);
      else reject(new Error(`${path} returned ${status}: ${body}`));
    });
    stream.on('error', reject);
  });
}
