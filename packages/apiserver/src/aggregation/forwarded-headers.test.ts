import { describe, expect, it } from 'vitest';
import type { UserInfo } from '../authentication/authenticator.ts';
import type { RequestContext } from '../endpoints/request-context.ts';
import { encodePath, forwardedHeaders, identityHeaders, responseHeaders } from './forwarded-headers.ts';

const ann: UserInfo = { username: 'ann', groups: ['a', 'b'] };

function contextOf(headers: Readonly<Record<string, string>>): RequestContext {
  const connection = { remoteAddress: '10.0.0.7', protocol: 'h2' };
  const request = { method: 'GET', path: '/', headers, connection };
  // forwardedHeaders reads only these fields.
  return { request, user: ann, info: { path: '/apis/g/v/things/a b' }, auditId: 'id-1' } as unknown as RequestContext;
}

describe('headers of a forwarded request', () => {
  it('are those of the client', () => {
    expect(forwardedHeaders(contextOf({ accept: 'application/json', 'user-agent': 'kubectl' }))).toMatchObject({
      accept: 'application/json',
      'user-agent': 'kubectl',
      'audit-id': 'id-1',
      'x-remote-user': 'ann',
      'x-remote-group': ['a', 'b'],
    });
  });

  it('contain no credentials or identity claims of the client, in any spelling', () => {
    const own = {
      authorization: 'Bearer secret',
      'impersonate-user': 'root',
      'impersonate-extra-scopes': 'all',
      'x-remote-user': 'root',
      'x-remote-uid': '0',
      'x-remote-group': 'system:masters',
      'x-remote-extra-a': 'b',
      x_remote_user: 'root',
      'x-remote_group': 'system:masters',
    };
    const sent = forwardedHeaders(contextOf(own));
    const { 'x-remote-user': user, 'x-remote-group': groups, ...rest } = sent;
    expect([user, groups]).toEqual(['ann', ['a', 'b']]);
    expect(Object.keys(rest).filter((name) => /remote|authorization|impersonate/.test(name))).toEqual([]);
  });

  it('exclude headers about the connection', () => {
    const sent = forwardedHeaders(
      contextOf({ connection: 'keep-alive, x-hop', 'x-hop': '1', te: 'trailers', 'content-length': '3', host: 'h:1' }),
    );
    expect(Object.keys(sent).sort()).toEqual([
      'audit-id',
      'x-forwarded-for',
      'x-forwarded-host',
      'x-forwarded-proto',
      'x-forwarded-uri',
      'x-remote-group',
      'x-remote-user',
    ]);
  });

  it('contain the origin of the request', () => {
    expect(forwardedHeaders(contextOf({ host: 'h:1', 'x-forwarded-for': '9.9.9.9' }))).toMatchObject({
      'x-forwarded-for': '9.9.9.9, 10.0.0.7',
      'x-forwarded-host': 'h:1',
      'x-forwarded-uri': '/apis/g/v/things/a%20b',
    });
  });
});

describe('identityHeaders', () => {
  it('encodes values as UTF-8, and escapes keys to valid header names', () => {
    const user = { username: 'Jürgen', uid: '7', groups: [], extra: { 'example.com/Team%': ['a', 'é'] } };
    expect(identityHeaders(user)).toEqual({
      'x-remote-user': 'J\u00c3\u00bcrgen',
      'x-remote-uid': '7',
      'x-remote-extra-example.com%2FTeam%25': ['a', '\u00c3\u00a9'],
    });
  });
});

describe('encodePath', () => {
  it('escapes characters that could extend the path or start a query', () => {
    expect(encodePath('/apis/g/v/things/a?b#c%2f')).toBe('/apis/g/v/things/a%3Fb%23c%252f');
  });
});

describe('responseHeaders', () => {
  it('keeps separate values separate, and drops headers about the connection', () => {
    expect(
      responseHeaders({
        'content-type': ['application/json'],
        'set-cookie': ['a=1', 'b=2'],
        connection: ['close, X-Hop'],
        'x-hop': ['1'],
        'transfer-encoding': ['chunked'],
      }),
    ).toEqual({ 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
  });
});
