import type { Difference } from '../../testdata/replay-steps.ts';

/** The complete list, by script and step number. */
export const acceptedDifferences: Readonly<Record<'admission' | 'conversion', Readonly<Record<number, Difference>>>> = {
  admission: {
    15: { status: 500, why: 'HTTP/2 carries no status above 599' },
    61: { status: 500, why: 'what is another kind is not decoded as one' },
    104: { status: 403, why: 'a field of null has other words' },
    205: { status: 201, why: 'an eviction is an ordinary delete, also in a dry run: webhooks see it' },
    207: { status: 201, why: 'an eviction is an ordinary delete: webhooks see it' },
    208: { status: 201, why: 'a token request is shown as it was sent' },
    247: { status: 400, why: 'a question is shown as it was sent' },
  },
  conversion: {},
};
