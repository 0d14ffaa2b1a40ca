import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { explainIssue, suggestValue } from '../../src/catalog/explain-issue.ts';

const choice = z.enum(['viewer', 'editor']);

describe('explainIssue', () => {
  it.each([
    [z.string(), 7, 'expected text, got a number: put it in quotes'],
    [z.string(), undefined, 'is required'],
    [z.boolean(), null, 'expected true or false, got null'],
    [z.looseObject({}), [], 'expected an object, got a list'],
    [z.array(z.string()), true, 'expected a list, got true'],
    [z.int(), 1.5, 'expected a whole number, got 1.5'],
    [z.union([z.string(), z.boolean()]), {}, 'expected text or true or false, got an object'],
    [z.string().check(z.minLength(1)), '', 'is empty'],
    [z.array(z.string()).check(z.minLength(1)), [], 'is empty'],
    [z.string().check(z.maxLength(3)), 'abcd', 'expected at most 3 characters, got 4'],
    [z.array(z.string()).check(z.maxLength(1)), ['a', 'b'], 'expected at most 1 item, got 2'],
    [z.number().check(z.gte(1)), 0, 'expected at least 1, got 0'],
    [z.number().check(z.lte(9)), 12, 'expected at most 9, got 12'],
    [choice, 'edtior', "expected one of viewer, editor, got 'edtior'"],
    [z.string().check(z.regex(/^a/, { error: 'begins with an a' })), 'b', 'begins with an a'],
  ])('%#: explains the issue', (schema: z.ZodMiniType, value: unknown, text) => {
    const issue = schema.safeParse(value).error?.issues[0] ?? expect.fail();
    expect(explainIssue(issue, value)).toBe(text);
  });

  it('suggestValue finds the closest allowed value', () => {
    const meant = (value: unknown) =>
      suggestValue(choice.safeParse(value).error?.issues[0] ?? expect.fail(), value);
    expect([meant('edtior'), meant('king'), meant(7)]).toEqual(['editor', undefined, undefined]);
  });
});
