import { Buffer } from 'node:buffer';
import type { ApiResponse } from '../http/api-request.ts';

/** The router's response to an unknown path. */
export const pageNotFound: ApiResponse = {
  status: 404,
  headers: {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-cache, private',
    'x-content-type-options': 'nosniff',
  },
  body: Buffer.from('404 page not found\n'),
};
