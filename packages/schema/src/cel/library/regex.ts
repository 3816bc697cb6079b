import { type Library, overload } from './library.ts';
import { guardPattern } from './standard.ts';

/** Kubernetes' pattern functions: `find` and `findAll`. */
export const regexLibrary: Library = {
  name: 'kubernetes.regex',
  overloads: [
    overload<[string, string]>(
      'string.find(string) string',
      (context, text, pattern) => guardPattern(context, text, pattern).findAll(text, 1)[0] ?? '',
    ),
    overload<[string, string]>('string.findAll(string) list(string)', (context, text, pattern) =>
      guardPattern(context, text, pattern).findAll(text),
    ),
    overload<[string, string, number]>('string.findAll(string, int) list(string)', (context, text, pattern, limit) =>
      guardPattern(context, text, pattern).findAll(text, limit < 0 ? undefined : limit),
    ),
  ],
};
