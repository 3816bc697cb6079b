/** The webhook server's responses to ConversionReviews, by path. */
const reply = (review, response, more = {}) => ({
  body: { kind: 'ConversionReview', apiVersion: review.apiVersion, response: { uid: review.request.uid, ...response }, ...more },
});
const success = { status: 'Success' };

/** v1 has `spec.hostPort`; v2 has `spec.host`, `spec.port` and `spec.later`. Converted objects get an annotation. */
function converted(object, apiVersion) {
  const { spec = {}, metadata, ...rest } = structuredClone(object);
  const { hostPort, host, port, later: _, ...others } = spec;
  const [left = '', right = '0'] = (hostPort ?? '').split(':');
  const parts = apiVersion.endsWith('/v1')
    ? { ...(host !== undefined && { hostPort: `${host}:${port ?? 0}` }) }
    : { ...(hostPort !== undefined && { host: left, port: Number(right) || 0 }) };
  const annotations = { ...metadata.annotations, 'example.com/converted': apiVersion.split('/')[1] };
  return { ...rest, apiVersion, metadata: { ...metadata, annotations }, spec: { ...others, ...parts } };
}
const convertAll = ({ request }) => request.objects.map((object) => converted(object, request.desiredAPIVersion));
const good = (review) => reply(review, { convertedObjects: convertAll(review), result: success });
/** Converts the objects, then damages each of them. */
const spoiled = (spoil) => (review) => reply(review, { convertedObjects: convertAll(review).map(spoil), result: success });
const metadata = (change) => spoiled((object) => ({ ...object, metadata: change(object.metadata) }));

export const behaviors = {
  convert: good,
  'fail-message': (review) => reply(review, { result: { status: 'Failure', message: 'no way' } }),
  'fail-silent': (review) => reply(review, { result: { status: 'Failure' } }),
  'no-result': (review) => reply(review, { convertedObjects: convertAll(review) }),
  'wrong-uid': (review) => reply(review, { uid: 'other', convertedObjects: convertAll(review), result: success }),
  'no-response': (review) => ({ body: { kind: 'ConversionReview', apiVersion: review.apiVersion } }),
  'no-type': (review) => ({ body: { response: { uid: review.request.uid, convertedObjects: convertAll(review), result: success } } }),
  'wrong-version': (review) => reply(review, { convertedObjects: convertAll(review), result: success }, { apiVersion: 'apiextensions.k8s.io/v1beta1' }),
  'none-converted': (review) => reply(review, { convertedObjects: [], result: success }),
  'one-too-many': (review) => reply(review, { convertedObjects: [...convertAll(review), ...convertAll(review)], result: success }),
  unconverted: (review) => reply(review, { convertedObjects: review.request.objects, result: success }),
  'other-kind': spoiled((object) => ({ ...object, kind: 'Other' })),
  'other-name': metadata((meta) => ({ ...meta, name: 'other' })),
  'other-namespace': metadata((meta) => ({ ...meta, namespace: 'other' })),
  'other-uid': metadata((meta) => ({ ...meta, uid: 'other' })),
  'no-metadata': spoiled(({ metadata: _, ...object }) => object),
  'text-metadata': spoiled((object) => ({ ...object, metadata: 'none' })),
  'bad-labels': metadata((meta) => ({ ...meta, labels: { 'bad key': 'v' } })),
  'number-labels': metadata((meta) => ({ ...meta, labels: { a: 5 } })),
  'other-metadata': metadata((meta) => ({ ...meta, labels: { fresh: 'yes' }, finalizers: ['example.com/f'], generation: 99, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] })),
  'unknown-fields': spoiled((object) => ({ ...object, spec: { ...object.spec, nonsense: 1 }, more: {} })),
  nulls: spoiled((object) => ({ ...object, spec: { ...object.spec, list: null, color: null, host: null }, status: null, more: null })),
  'bad-type': spoiled((object) => ({ ...object, spec: { ...object.spec, port: 'many' } })),
  'http-500': () => ({ status: 500, headers: { 'content-type': 'text/plain' }, text: 'broken' }),
  'not-json': () => ({ text: 'hello' }),
  cut: () => 'cut',
};
