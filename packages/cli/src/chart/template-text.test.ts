import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderChart } from '../../../../test/cli/go-template.ts';
import { lines, scalar, TemplateText } from './template-text.ts';

const pieces = fc.constantFrom(
  '{{ .Release.Name }}',
  '{{',
  '}}',
  '{',
  'zzkwtemplate0z',
  'zzkwtemplate',
  '"',
  "'",
  ': ',
  ' #',
  '\n',
  '- ',
  '--a=b',
  '/',
  '1',
  'true',
  'a',
);
const hostile = fc.array(pieces, { maxLength: 6 }).map((each) => each.join(''));

/** What Helm makes of a template. */
function rendered(text: string): unknown {
  return parse(
    renderChart(new Map([['templates/a.yaml', text]]), { Release: { Name: 'ours' } }).get('templates/a.yaml') ?? '',
  );
}

describe('TemplateText', () => {
  it('writes a hostile text as that text, and the action beside it as an action', () => {
    fc.assert(
      fc.property(hostile, hostile, (value, listed) => {
        const source = { value, list: [listed] };
        const text = new TemplateText(source);
        const written = text.write({ ...source, action: text.value('{{ .Release.Name }}') });
        expect(rendered(written)).toEqual({ ...source, action: 'ours' });
      }),
    );
  });

  it('writes a hostile text in a line of its own', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const text = new TemplateText(value);
        const written = text.write(text.fields(lines(`value: ${scalar(value)}`)));
        expect(rendered(written)).toEqual({ value });
      }),
    );
  });
});
