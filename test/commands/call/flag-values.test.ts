import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandArguments } from '../../../src/catalog/command-text.ts';
import type { Flag, FlagKind } from '../../../src/catalog/flags.ts';
import { parseFlagValue, parsePairs } from '../../../src/commands/call/flag-values.ts';
import { SvcError } from '../../../src/kernel/errors.ts';

const NOW = Date.parse('2026-03-01T00:00:00Z');

const flag = (kind: FlagKind, more: Partial<Flag> = {}): Flag => ({
  name: 'x',
  path: ['x'],
  kind,
  description: 'a value',
  required: false,
  ofRecord: false,
  ...more,
});

function value(of: Flag, given: string | boolean | readonly string[]) {
  const warnings: string[] = [];
  const read = parseFlagValue(of, given, { now: NOW, warn: (text) => warnings.push(text) });
  return { read, warnings };
}

const resource = flag('entries', {
  name: 'resource',
  keys: [
    flag('text', { name: 'type', path: ['type'] }),
    flag('text', { name: 'id', path: ['id'] }),
    flag('text', { name: 'org', path: ['organizationId'] }),
    flag('text', { name: 'role', path: ['accessRole'] }),
    flag('time', { name: 'expires', path: ['expiresAt'] }),
  ],
});

describe('the value of a flag', () => {
  it.each([
    ['text', '0123', '0123'],
    ['number', '12.5', 12.5],
    ['number', '-1', -1],
    ['json', '{"a":[1]}', { a: [1] }],
    ['boolean', true, true],
    ['list', ['a,b', 'c'], ['a,b', 'c']],
    ['map', ['a=1', 'b=x=y', 'c='], { a: '1', b: 'x=y', c: '' }],
    ['switches', ['comment.add=true', 'b=false'], { 'comment.add': true, b: false }],
    [
      'changes',
      ['status=open:done', 'due=a:b:c'],
      { status: { from: 'open', to: 'done' }, due: { from: 'a', to: 'b:c' } },
    ],
    ['time', '48h', NOW / 1000 + 172_800],
    ['time', '30d', NOW / 1000 + 2_592_000],
    ['time', '2026-03-02T00:00:00+01:00', NOW / 1000 + 82_800],
    ['time', '2026-03-02', NOW / 1000 + 86_400],
    ['time', '1800000000', 1_800_000_000],
  ] as const)('as %s of %j', (kind, given, expected) => {
    expect(value(flag(kind), given)).toEqual({ read: expected, warnings: [] });
  });

  it.each([
    ['number', 'many'],
    ['number', ''],
    ['json', '{'],
    ['map', 'nothing'],
    ['switches', 'a=maybe'],
    ['changes', 'status=open'],
    ['time', 'tomorrow'],
    ['time', '2026-13-40'],
  ] as const)('that is no %s is refused: %j', (kind, given) => {
    expect(() => value(flag(kind, { name: 'some-flag' }), [given])).toThrow(
      expect.objectContaining({
        failure: 'usage',
        message: expect.stringContaining('--some-flag'),
      }),
    );
  });

  it('in milliseconds is sent in seconds, with a warning', () => {
    const { read, warnings } = value(flag('time'), '1800000000000');
    expect(read).toBe(1_800_000_000);
    expect(warnings).toHaveLength(1);
  });

  it('with entries keeps quoted IDs that contain commas, colons, and quotes', () => {
    const given = 'type=document,id="a,b:""c""",org=acme,role=viewer,expires=48h';
    expect(value(resource, [given]).read).toEqual([
      {
        type: 'document',
        id: 'a,b:"c"',
        organizationId: 'acme',
        accessRole: 'viewer',
        expiresAt: NOW / 1000 + 172_800,
      },
    ]);
  });

  it('with an entry accepts the first field alone, pairs, or JSON', () => {
    const user = flag('entry', {
      keys: [
        flag('text', { name: 'user', path: ['userId'] }),
        flag('text', { name: 'name', path: ['name'] }),
      ],
    });
    expect(value(user, 'u1').read).toEqual({ userId: 'u1' });
    expect(value(user, 'user=u1,name=Ada').read).toEqual({ userId: 'u1', name: 'Ada' });
    expect(value(user, '{"userId":"u1","role":"lead"}').read).toEqual({
      userId: 'u1',
      role: 'lead',
    });
  });

  it('with an unknown key suggests the nearest', () => {
    expect(() => value(resource, ['type=document,rol=viewer'])).toThrow(
      expect.objectContaining({ failure: 'usage', hint: "did you mean 'role'?" }),
    );
  });
});

describe('the arguments for a value', () => {
  const argumentsFor = (of: Flag, data: unknown) => {
    const [, ...words] = commandArguments(
      { command: ['x'], flags: [of], paged: false },
      { x: data },
    );
    return words.filter((_, at) => at % 2 === 1);
  };
  const text = fc.string();
  const entry = fc.record(
    {
      type: text,
      id: text,
      organizationId: text,
      accessRole: text,
      expiresAt: fc.constant(1_800_000_000),
      more: fc.array(fc.integer()),
    },
    { requiredKeys: ['type'] },
  );
  const change = fc.record({ from: text.filter((any) => !any.includes(':')), to: text });
  const name = text.filter((any) => any !== '' && !any.includes('=') && any !== '__proto__');

  it.each([
    ['text', flag('text'), text],
    ['number', flag('number'), fc.integer()],
    ['list', flag('list'), fc.array(text, { minLength: 1 })],
    ['map', flag('map'), fc.dictionary(name, text, { minKeys: 1, noNullPrototype: true })],
    [
      'changes',
      flag('changes'),
      fc.dictionary(name, change, { minKeys: 1, noNullPrototype: true }),
    ],
    ['json', flag('json'), fc.array(fc.integer())],
    ['entries', resource, fc.array(entry, { minLength: 1 })],
  ] as const)('as %s parse back to the value', (_, of, values: fc.Arbitrary<unknown>) => {
    fc.assert(
      fc.property(values, (data) => {
        expect(value(of, argumentsFor({ ...of, path: ['x'] }, data)).read).toEqual(data);
      }),
    );
  });
});

describe('key=value pairs', () => {
  const key = fc
    .string({ minLength: 1 })
    .filter((text) => !/[=,"]/.test(text) && text.trim() === text && text !== '');
  const written = (text: string) =>
    /[",]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;

  it('parse back to the pairs that were written', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.string()), { minLength: 1 }), (pairs) => {
        const text = pairs.map(([name, content]) => `${name}=${written(content)}`).join(',');
        expect(parsePairs(text, 'x')).toEqual(pairs);
      }),
    );
  });

  it('are parsed or rejected for any text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(Array.isArray(parsePairs(text, 'x'))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(SvcError);
        }
      }),
    );
  });

  it.each(['a', 'a=1,', ',a=1', 'a="1', 'a="1"x', 'a=1"2', '=1'])('are rejected: %j', (text) => {
    expect(() => parsePairs(text, 'x')).toThrow(expect.objectContaining({ failure: 'usage' }));
  });
});
