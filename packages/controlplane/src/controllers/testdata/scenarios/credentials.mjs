/** Certificates that the controllers approve and sign, and tokens of service accounts in Secrets. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

// The recorder runs on versions of Node that cannot import TypeScript.
const source = readFileSync(new URL('../../../testdata/signing-requests.ts', import.meta.url), 'utf8');
const textOf = (name) => new RegExp(`export const ${name} = \`([^\`]+)\``).exec(source)[1];
const [kubeletClientRequest, kubeletServingRequest, rsaRequest] = ['kubeletClientRequest', 'kubeletServingRequest', 'rsaRequest'].map(textOf);

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const hourMs = 3_600_000;

/**
 * Returns the contents of a certificate except its key and its start and end time. Our certificates keep the subject as the
 * request encodes it. Go joins attributes of the same type, which means the same.
 */
function factsOf(certificate) {
  const { subject, subjectAltName = null, ca, keyUsage = [], validFrom, validTo } = new X509Certificate(Buffer.from(certificate, 'base64'));
  return { subject: subject.split(/\n| \+ /).sort(), subjectAltName, ca, extendedKeyUsage: keyUsage, hours: Math.round((Date.parse(validTo) - Date.parse(validFrom)) / hourMs) };
}

async function request(t, name, { signer, text, usages, expirationSeconds }) {
  const spec = { request: Buffer.from(text).toString('base64'), signerName: `kubernetes.io/${signer}`, usages, expirationSeconds };
  const body = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', metadata: { name: `${t.namespace}-${name}` }, spec };
  return t.createGlobal(requests, body);
}

const read = async (t, name) => (await t.call('GET', `${requests}/${t.namespace}-${name}`)).json;

async function decide(t, csr, type) {
  const status = { conditions: [{ type, status: 'True', reason: 'Test', message: 'by hand' }] };
  await t.call('PUT', `${requests}/${csr.metadata.name}/approval`, { ...csr, status });
}

/** Waits until a request has this many conditions, and a certificate if one is expected. Then records both. */
async function keep(t, name, { conditions = 1, certificate = true } = {}) {
  const { status } = await t.until(`the request ${name}`, async () => {
    const csr = await read(t, name);
    return (csr.status?.conditions?.length ?? 0) >= conditions && (!certificate || csr.status.certificate) && csr;
  });
  const said = (status.conditions ?? []).map(({ type, status: is, reason, message }) => ({ type, status: is, reason, message }));
  t.keep(name, { conditions: said, certificate: status.certificate ? factsOf(status.certificate) : null });
}

async function isGone(t, resource, name) {
  return (await t.get(resource, name)) === undefined;
}

const account = (name) => ({ metadata: { name } });
const token = (name, of, more = {}) => ({
  metadata: { name, annotations: { 'kubernetes.io/service-account.name': of, ...more } },
  type: 'kubernetes.io/service-account-token',
});

async function keepToken(t, name) {
  const { metadata, data, type } = await t.until(`the token ${name}`, async () => {
    const secret = await t.get('secrets', name);
    return secret?.data?.token && secret;
  });
  const [, claims] = Buffer.from(data.token, 'base64').toString().split('.');
  const { annotations, labels = null } = metadata;
  const parts = JSON.parse(Buffer.from(claims, 'base64url').toString());
  t.keep(name, { type, annotations, labels, keys: Object.keys(data).sort(), claims: parts, of: Buffer.from(data.namespace, 'base64').toString() });
}

export const credentials = {
  async 'certificates: approved, signed, failed and denied'(t) {
    const kubelet = { signer: 'kube-apiserver-client-kubelet', usages: ['digital signature', 'client auth'] };
    await request(t, 'kubelet', { ...kubelet, text: kubeletClientRequest });
    await keep(t, 'kubelet');
    const client = { signer: 'kube-apiserver-client', text: rsaRequest, usages: ['client auth'] };
    await decide(t, await request(t, 'client', client), 'Approved');
    await keep(t, 'client');
    await decide(t, await request(t, 'short', { ...client, expirationSeconds: 7_200 }), 'Approved');
    await keep(t, 'short');
    const serving = { signer: 'kubelet-serving', usages: ['digital signature', 'server auth'] };
    await decide(t, await request(t, 'serving', { ...serving, text: kubeletServingRequest }), 'Approved');
    await keep(t, 'serving');
    await decide(t, await request(t, 'no-names', { ...serving, text: kubeletClientRequest }), 'Approved');
    await keep(t, 'no-names', { conditions: 2, certificate: false });
    await decide(t, await request(t, 'denied', client), 'Denied');
    await t.rest();
    await keep(t, 'denied', { certificate: false });
  },
  async 'tokens: service account token Secrets'(t) {
    await t.create('serviceaccounts', account('builder'));
    await t.create('secrets', token('filled', 'builder'));
    await keepToken(t, 'filled');
    await t.patch('secrets', 'filled', { data: { token: null } });
    await keepToken(t, 'filled');
    await t.create('secrets', token('no-account', 'nobody'));
    await t.create('secrets', token('other-account', 'builder', { 'kubernetes.io/service-account.uid': 'another' }));
    for (const name of ['no-account', 'other-account']) {
      await t.until(`the secret ${name} to go`, () => isGone(t, 'secrets', name));
    }
    await t.delete('serviceaccounts', 'builder');
    await t.until('the secret to go', () => isGone(t, 'secrets', 'filled'));
  },
};
