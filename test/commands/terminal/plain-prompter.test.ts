import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createPlainPrompter } from '../../../src/commands/terminal/plain-prompter.ts';
import { fakeContext } from '../fake-context.ts';

it('a plain prompter prints the choices of each group below its name, and accepts the name', async () => {
  const context = await fakeContext({});
  const stream = new PassThrough();
  const io = { ...context.io, stdin: { ...context.io.stdin, stream } };
  const prompter = createPlainPrompter({ ...context, io });
  const chosen = prompter.multiSelect({
    message: 'Event types',
    choices: [
      { value: 'comment.add', group: 'comment' },
      { value: 'huddle.create', group: 'huddle', description: 'a call starts' },
      { value: 'comment.update', group: 'comment' },
    ],
    defaultValues: [],
    emptyMeaning: 'all',
    validateOther: () => 'is unknown',
  });
  stream.write('comment, 2\n');
  expect(await chosen).toEqual(['comment.add', 'comment.update', 'huddle.create']);
  expect(context.stderr().split('\n').slice(0, 6)).toEqual([
    'Event types:',
    '  comment',
    '  1. comment.add',
    '  3. comment.update',
    '  huddle',
    '  2. huddle.create: a call starts',
  ]);
});
