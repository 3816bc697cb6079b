import { Buffer } from 'node:buffer';

/** Numbers of the record types. */
export const recordTypes = { A: 1, CNAME: 5, SOA: 6, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, OPT: 41, ANY: 255 } as const;

/** Response codes. */
export const responseCodes = {
  noError: 0,
  formatError: 1,
  serverFailure: 2,
  nameError: 3,
  notImplemented: 4,
  refused: 5,
} as const;

/** A question: a lower-case name without the final dot, and a type. */
export interface Question {
  readonly name: string;
  readonly type: number;
}

/** A query with one question. */
export interface Query {
  readonly id: number;
  readonly recursionDesired: boolean;
  readonly question: Question;
  /** Size of the largest answer that the client accepts over UDP, in bytes. */
  readonly maxBytes: number;
}

/** A record of an answer. */
export type DnsRecord = { readonly name: string; readonly ttlSeconds: number } & (
  | { readonly type: 'A'; readonly address: string }
  | { readonly type: 'CNAME' | 'PTR'; readonly target: string }
  | { readonly type: 'TXT'; readonly text: string }
  | { readonly type: 'SRV'; readonly port: number; readonly target: string; readonly weight: number }
  | { readonly type: 'SOA'; readonly server: string; readonly mailbox: string; readonly serial: number }
);

/** An answer. */
export interface Answer {
  readonly code: number;
  readonly answers: readonly DnsRecord[];
  readonly authorities?: readonly DnsRecord[];
  readonly additional?: readonly DnsRecord[];
}

const headerBytes = 12;
const plainUdpBytes = 512;
const classInternet = 1;

/** Parses a query. Returns `undefined` unless the message is a query with exactly one question. */
export function parseQuery(message: Buffer): Query | undefined {
  if (message.length < headerBytes || message.readUInt16BE(4) !== 1) return undefined;
  const flags = message.readUInt16BE(2);
  const isQuery = (flags & 0x8000) === 0 && (flags & 0x7800) === 0;
  const name = readName(message, headerBytes);
  if (!isQuery || !name || name.end + 4 > message.length) return undefined;
  const question = { name: name.text.toLowerCase(), type: message.readUInt16BE(name.end) };
  const recursionDesired = (flags & 0x100) !== 0;
  return { id: message.readUInt16BE(0), recursionDesired, question, maxBytes: sizeLimit(message, name.end + 4) };
}

/** Returns true if a message is the answer to a query, that is, has the same id and question. */
export function isAnswerTo(query: Buffer, answer: Buffer): boolean {
  if (answer.length < headerBytes || answer.readUInt16BE(0) !== query.readUInt16BE(0)) return false;
  const isResponse = (answer.readUInt16BE(2) & 0x8000) !== 0;
  const [asked, answered] = [query, answer].map((message) => readName(message, headerBytes));
  if (!isResponse || answer.readUInt16BE(4) !== 1 || !asked || !answered) return false;
  // Servers may change the case of names.
  const isSameName = asked.text.toLowerCase() === answered.text.toLowerCase();
  const typeOf = (message: Buffer, end: number): string => message.toString('hex', end, end + 4);
  return isSameName && typeOf(query, asked.end) === typeOf(answer, answered.end);
}

/** True if an answer did not fit into a datagram. */
export function isTruncated(answer: Buffer): boolean {
  return (answer.readUInt16BE(2) & 0x200) !== 0;
}

/**
 * Returns the size of the largest answer that the client accepts: the size in the EDNS option, which follows the
 * question, or else 512.
 */
function sizeLimit(message: Buffer, start: number): number {
  const isOption =
    message.readUInt16BE(10) > 0 &&
    start + 5 <= message.length &&
    message[start] === 0 &&
    message.readUInt16BE(start + 1) === recordTypes.OPT;
  return isOption ? Math.max(message.readUInt16BE(start + 3), plainUdpBytes) : plainUdpBytes;
}

function readName(message: Buffer, start: number): { readonly text: string; readonly end: number } | undefined {
  const labels: string[] = [];
  let at = start;
  for (;;) {
    const length = message[at];
    // Questions are not compressed.
    if (length === undefined || length > 63 || at + length >= message.length) return undefined;
    if (length === 0) return { text: labels.join('.'), end: at + 1 };
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
}

/**
 * Encodes an answer. If it is longer than `maxBytes`, the result has no records and is marked as truncated, so the client retries
 * over TCP.
 */
export function encodeAnswer(query: Query, answer: Answer, options: { readonly maxBytes: number }): Buffer {
  const { answers, authorities = [], additional = [], code } = answer;
  const question = encodeQuestion(query.question);
  const sections = [answers, authorities, additional];
  const records = sections.flat().map(encodeRecord);
  const size = headerBytes + question.length + records.reduce((sum, { length }) => sum + length, 0);
  const isTruncated = size > options.maxBytes;
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(query.id, 0);
  // Flags: response, authoritative, recursion available.
  header.writeUInt16BE(0x8480 | (isTruncated ? 0x200 : 0) | (query.recursionDesired ? 0x100 : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  for (const [index, { length }] of sections.entries()) header.writeUInt16BE(isTruncated ? 0 : length, 6 + 2 * index);
  return Buffer.concat([header, question, ...(isTruncated ? [] : records)]);
}

function encodeQuestion({ name, type }: Question): Buffer {
  return Buffer.concat([encodeName(name), numbers(type, classInternet)]);
}

function encodeRecord(record: DnsRecord): Buffer {
  const data = encodeData(record);
  const head = Buffer.alloc(6);
  head.writeUInt32BE(record.ttlSeconds, 0);
  head.writeUInt16BE(data.length, 4);
  return Buffer.concat([encodeName(record.name), numbers(recordTypes[record.type], classInternet), head, data]);
}

function encodeData(record: DnsRecord): Buffer {
  switch (record.type) {
    case 'A':
      return Buffer.from(record.address.split('.').map(Number));
    case 'CNAME':
    case 'PTR':
      return encodeName(record.target);
    case 'TXT':
      return Buffer.concat([Buffer.of(record.text.length), Buffer.from(record.text)]);
    case 'SRV':
      return Buffer.concat([numbers(0, record.weight, record.port), encodeName(record.target)]);
    case 'SOA': {
      const times = Buffer.alloc(20);
      // Serial, refresh, retry, expire, and the TTL of negative answers.
      for (const [index, value] of [record.serial, 7_200, 1_800, 86_400, 5].entries())
        times.writeUInt32BE(value, 4 * index);
      return Buffer.concat([encodeName(record.server), encodeName(record.mailbox), times]);
    }
  }
}

function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.');
  const parts = labels.map((label) => Buffer.from(label, 'latin1'));
  return Buffer.concat([...parts.flatMap((part) => [Buffer.of(part.length), part]), Buffer.of(0)]);
}

function numbers(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value, 2 * index);
  return buffer;
}
