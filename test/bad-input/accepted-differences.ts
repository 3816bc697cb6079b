/** The parts of a response that intentionally differ from upstream's. Omitted parts match. */
export interface Difference {
  readonly status?: number;
  readonly reason?: string;
  /** Part of our message. */
  readonly says?: string;
  readonly why: string;
}

type Table = Readonly<Record<string, Difference>>;

const refused = (says: string, why: string): Difference => ({ status: 400, reason: 'BadRequest', says, why });
const unauthorized = (why: string): Difference => ({ status: 401, reason: 'Unauthorized', why });

const TEXT = 'invalid UTF-8 is rejected, not silently replaced';
const DEPTH = 'all code after the reader is recursive, so depth is limited to 500 levels';
const YAML_WORDS = 'the YAML library words its errors differently';
const TOKEN_WORDS = 'details about a forged token are of no use to clients';
const IMPERSONATION = '1.36 checks a new verb first; we implement the older rule, which stays valid';
const QUERY = 'a malformed parameter is rejected, not dropped';

const notText: Difference = refused('not valid UTF-8', TEXT);
const halfPair: Difference = refused('unpaired surrogate', TEXT);
const forgedToken: Difference = { says: 'continue key is not valid', why: TOKEN_WORDS };

/** All accepted differences, by table and case. Listing a case that matches upstream fails the test. */
export const acceptedDifferences: Readonly<Record<string, Table>> = {
  transport: {
    'a path with a bad escape': refused('percent-escape', "Go's HTTP server rejects it before the API server sees it"),
    'invalid protobuf': { says: 'k8s\\\\0', why: 'the decoder words its errors differently' },
    'protobuf of an unknown type': { says: 'unexpected EOF', why: 'the decoder words its errors differently' },
    'a gzip body': { says: 'not valid UTF-8', why: 'bytes are checked before syntax' },
  },
  decoding: {
    'an apply of 100,000 levels': { says: 'exceeded max depth', why: DEPTH },
    'a custom resource of 2,000 levels': refused('exceeded max depth', DEPTH),
    'YAML of 3,000 levels': refused('exceeded max depth of 500', DEPTH),
    '2^63': { says: 'must be of type integer with format int64', why: 'one of the two messages about it' },
    'a number of 400 digits': { says: 'into Go value of type float64', why: 'it is reported while the body is read' },
    '1e400': { says: 'into Go value of type float64', why: 'it is reported while the body is read' },
    'bytes that are not UTF-8': notText,
    'bytes that are not UTF-8 in a key': notText,
    'half a surrogate pair': halfPair,
    'half a surrogate pair in a custom resource': halfPair,
    'YAML in UTF-16': refused('not valid UTF-8', 'JSON and YAML are UTF-8 here'),
    'another custom kind': { says: 'must be Gadget', why: "the message begins with the endpoint's kind" },
  },
  polluting: {
    'a JSON patch that copies a prototype': {
      status: 422,
      reason: 'Invalid',
      why: 'RFC 6902: the copied value must exist',
    },
  },
  semantics: {
    'a resourceVersion of 30 digits': { status: 409, reason: 'Conflict', why: 'no object has that version' },
    'a spec field that may not change': {
      says: 'spec.nodeName',
      why: "fields are named instead of a diff in Go's form",
    },
  },
  patches: {
    'the kind': { says: 'unknown conversion', why: 'the kind is checked before the values' },
    'an apply of invalid YAML': { says: 'yaml: line 1:', why: YAML_WORDS },
  },
  reads: {
    'a label selector with a NUL': refused('a valid label must be', "a NUL ends the selector for upstream's reader"),
    'a continue token of nonsense': forgedToken,
    'a continue token of a number': forgedToken,
    'a continue token without a start': forgedToken,
    'a continue token that climbs': forgedToken,
    'a continue token with a revision of letters': forgedToken,
    'a continue token of 100 kB': forgedToken,
    'a query with wrong escapes': refused('unable to parse requirement', QUERY),
    'a query with a semicolon': refused('invalid syntax', QUERY),
    'logs with wrong options': { status: 404, reason: 'NotFound', why: 'the pod is looked for first' },
  },
  crds: {
    'a $ref': { says: '$ref is not supported', why: 'a second cause is named: the type that is missing' },
    'a $ref to itself': { says: '$ref is not supported', why: 'a second cause is named: the type that is missing' },
  },
  access: {
    'anonymous: impersonation': { says: 'cannot impersonate resource', why: IMPERSONATION },
    'the default account: impersonation': { says: 'cannot impersonate resource', why: IMPERSONATION },
    'impersonation of groups alone': { says: 'require Impersonate-User', why: 'upstream prints a Go structure' },
    'impersonation of a uid alone': { says: 'require Impersonate-User', why: 'upstream prints a Go structure' },
    'an empty token': unauthorized('unknown credentials do not make a request anonymous'),
    'another scheme': unauthorized('unknown credentials do not make a request anonymous'),
    'a header of nonsense': unauthorized('unknown credentials do not make a request anonymous'),
    "a deleted pod's token": unauthorized('upstream remembers it for ten seconds'),
  },
};
