import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { type JqLimits, openJqFilter } from '../../src/output/jq.ts';
import { pagesOf, writes } from './printed.ts';

const value = {
  name: 'Ada',
  tags: ['a', 'b'],
  empty: '',
  lines: ' one\ntwo ',
  big: '12345678901234567890',
  n: 1.5,
};

const filterOf = (expression: string, limits?: JqLimits) =>
  openJqFilter(expression, undefined, limits);

async function refusal(run: Promise<unknown>): Promise<SvcError> {
  const thrown = await run.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(SvcError);
  return thrown as SvcError;
}

describe('a jq expression', () => {
  it.each([
    { expression: '.name', shown: 'Ada\n' },
    { expression: '.lines', shown: ' one\ntwo \n' },
    { expression: '.empty', shown: '\n' },
    { expression: '.tags', shown: '["a","b"]\n' },
    { expression: '.tags[], .n, null', shown: 'a\nb\n1.5\nnull\n' },
    { expression: '.big', shown: '12345678901234567890\n' },
    { expression: 'empty', shown: '' },
    { expression: '.tags | length # how many', shown: '2\n' },
    { expression: 'def twice: . + .; .name | twice', shown: 'AdaAda\n' },
    { expression: '-1', shown: '-1\n' },
    { expression: '"\\u0000" | length', shown: '1\n' },
  ])('$expression', async ({ expression, shown }) => {
    const apply = await filterOf(expression);
    expect(await apply(JSON.stringify(value))).toBe(shown);
  });

  it('keeps numbers unchanged', async () => {
    const apply = await filterOf('.');
    expect(await apply('[100000000000000000001,1.10]')).toBe('[100000000000000000001,1.10]\n');
  });

  it('runs any number of times', async () => {
    const apply = await filterOf('.id');
    expect([await apply('{"id":1}'), await apply('{"id":2}')]).toEqual(['1\n', '2\n']);
  });

  it('has no access to the machine', async () => {
    const apply = await filterOf('env | keys | join(" ")');
    expect(await apply('1')).toBe('HOME LANG LOGNAME PATH PWD USER _\n');
    expect(await (await filterOf('env.HOME'))('1')).toBe('/home/web_user\n');
  });

  it.each([
    {
      expression: '.a[',
      message: /^--jq: syntax error, unexpected end of file at <top-level>, line 1, column 3$/,
    },
    { expression: 'nope', message: /^--jq: nope\/0 is not defined/ },
    { expression: '', message: /^--jq: Top-level program not given/ },
    { expression: '1) | (2', message: /^--jq: syntax error/ },
    { expression: 'include "m"; .', message: /^--jq: module not found/ },
  ])("that is not valid is refused at once: '$expression'", async ({ expression, message }) => {
    const { failure, message: said } = await refusal(openJqFilter(expression));
    expect(failure).toBe('usage');
    expect(said).toMatch(message);
  });

  it.each([
    { expression: '.name.first', message: '--jq: Cannot index string with string ("first")' },
    { expression: 'error("no luck")', message: '--jq: no luck' },
    { expression: '"bye" | halt_error', message: '--jq: bye' },
    { expression: 'reduce range(40) as $i ("x"; . + .)', message: '--jq: jq ran out of memory' },
  ])('reports a failure as an output error: $expression', async ({ expression, message }) => {
    const apply = await filterOf(expression, { milliseconds: 50_000, bytes: 1_000_000 });
    const error = await refusal(apply(JSON.stringify(value)));
    expect([error.failure, error.message]).toEqual(['local', message]);
  });
});

describe('limits', () => {
  const bytes = 1000;

  it('stop an endless expression', async () => {
    const opened = filterOf('last(repeat(1))', { milliseconds: 100, bytes });
    // On a busy machine, jq may reach the limit while it compiles the expression.
    const stopped = await refusal(opened.then((apply) => apply('1')));
    expect(stopped.message).toBe('--jq: jq ran longer than 0.1 s');
  });

  it('stop an expression with endless output', async () => {
    const apply = await filterOf('repeat("text")', { milliseconds: 10_000, bytes });
    expect((await refusal(apply('1'))).message).toBe('--jq: the output exceeds 1000 bytes');
  });

  it('reject an input that is too large', async () => {
    const apply = await filterOf('1', { milliseconds: 10_000, bytes });
    expect(await apply('"é"')).toBe('1\n');
    expect((await refusal(apply(JSON.stringify('é'.repeat(500))))).message).toBe(
      '--jq: the result exceeds 1000 bytes',
    );
  });

  it('end at a signal that arrived while the expression ran', async () => {
    const stopped = new SvcError('terminated', 'stopped');
    const opened = openJqFilter('last(repeat(1))', AbortSignal.abort(stopped), {
      milliseconds: 100,
      bytes,
    });
    // On a busy machine, jq may reach the limit while it compiles the expression.
    expect(await refusal(opened.then((filter) => filter('1')))).toBe(stopped);
  });
});

describe('a printer with a filter', () => {
  const filter = async (json: string) => `${JSON.stringify(JSON.parse(json))}\u001b\n`;
  const secrets = [['*', 'token']];

  it('passes it all records as one masked document', async () => {
    const pages = pagesOf([{ token: 'secret' }], [{ token: 'other' }]);
    expect(
      await writes('json', { filter }, (printer) => printer.records(pages, { secrets })),
    ).toEqual(['[{"token":"****"},{"token":"****"}]\u001b\n']);
  });

  it('escapes the output for a terminal', async () => {
    const printOptions = { filter, terminal: 80 };
    expect(
      await writes('json', printOptions, (printer) => printer.value({ a: '\u009b' }, {})),
    ).toEqual(['{"a":"\\u009b"}\\u001b\n']);
  });
});
