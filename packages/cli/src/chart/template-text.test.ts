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

/** Parses the template as Helm renders it. */
function rendered(text: string): unknown {
  return parse(
    renderChart(new Map([['templates/a.yaml', text]]), { Release: { Name: 'ours' } }).get('templates/a.yaml') ?? '',
  );
}

describe('TemplateText', () => {
  it('writes hostile strings literally and actions as actions', () => {
    fc.assert(
      fc.property(hostile, hostile, (value, listed) => {
        const source = { value, list: [listed] };
        const text = new TemplateText(source);
        const written = text.write({ ...source, action: text.value('{{ .Release.Name }}') });
        expect(rendered(written)).toEqual({ ...source, action: 'ours' });
      }),
    );
  });

  it('writes a hostile string literally in its own line', () => {
    fc.assert(
      fc.property(hostile, (value) => {
        const text = new TemplateText(value);
        const written = text.write(text.fields(lines(`value: ${scalar(value)}`)));
        expect(rendered(written)).toEqual({ value });
      }),
    );
  });
});
