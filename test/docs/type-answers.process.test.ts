import { expect, it } from 'vitest';
import { KILL, typeAnswers } from '../../docs/generate/type-answers.ts';
import { SLOW } from '../slow.ts';

/** Asks two questions, each after a pause, and reads keys only while it waits for an answer. */
const SLOW_DIALOG = `
  process.stdin.setRawMode(true);
  const ask = (question, next) => setTimeout(() => {
    process.stdout.write(question);
    process.stdin.once('data', (key) => {
      process.stdin.pause();
      process.stdout.write('=' + String(key) + '\\r\\n');
      next();
    }).resume();
  }, 700);
  process.stdout.write('starting\\r\\n');
  ask('First\\r\\nname? ', () => ask('Last name? ', () => process.exit()));`;

const command = (program: string, ...words: string[]) => ({
  program,
  words,
  cwd: '.',
  env: {},
  columns: 80,
});
const DIALOG = command(process.execPath, '-e', SLOW_DIALOG);
/** Time limit, in milliseconds, in which a shell starts on a busy machine too. */
const SHELL_TIMEOUT = 5000;

it('each answer is typed when its question appears, after any pause', async () => {
  const written = await typeAnswers(DIALOG, [
    ['First name?', 'a'],
    ['Last name?', 'b'],
  ]);
  expect(written.replace(/\s+/g, ' ')).toContain('First name? =a Last name? =b');
});

it('a command can be killed in place of an answer', async () => {
  const waiting = command('/bin/sh', '-c', 'echo held; exec sleep 60');
  const written = await typeAnswers(waiting, [['held', KILL]], SHELL_TIMEOUT);
  expect(written.trim()).toBe('held');
});

it('a question that never appears is reported with the output', SLOW, async () => {
  const waiting = typeAnswers(
    command('/bin/sh', '-c', 'echo busy; exec sleep 60'),
    [['Which one?', 'x']],
    SHELL_TIMEOUT,
  );
  await expect(waiting).rejects.toThrow(/the question 'Which one\?' did not come:\n.*busy/);
});

it('a command that ends before its question is reported', async () => {
  const ended = typeAnswers(command('/bin/sh', '-c', 'echo bye'), [['Which one?', 'x']]);
  await expect(ended).rejects.toThrow(/the question 'Which one\?' did not come:\n.*bye/);
});

it('a command that does not end after its last answer is reported', SLOW, async () => {
  const hanging = typeAnswers(
    command('/bin/sh', '-c', 'echo Go?; exec sleep 60'),
    [['Go?', 'y']],
    SHELL_TIMEOUT,
  );
  await expect(hanging).rejects.toThrow('the end of the command did not come');
});
