import { TextDecoder } from 'node:util';

const MEGABYTE = 1024 * 1024;

/** The most that is read of an answer, decompressed. */
export const MOST_BYTES = 64 * MEGABYTE;

/** Deep enough for folders 250 levels down, and shallow enough for code that recurses. */
const DEEPEST_NESTING = 500;

/** The text of an answer, or what is wrong with it in words that go on after "the service answered with". */
export type AnswerText = { readonly text: string } | { readonly flaw: string };

/**
 * Reads a body as UTF-8, decompressed, and gives up past 64 MB.
 * @throws the transport's error when the body breaks off
 */
export async function readAnswerText(response: Response, mostBytes = MOST_BYTES): Promise<AnswerText> {
  if (!response.body) return { text: '' };
  const answer = await decodeAll(response.body.values({ preventCancel: true }), mostBytes);
  // What is left of an unusable body nobody waits for.
  if ('flaw' in answer) void response.body.cancel().catch(() => undefined);
  return answer;
}

async function decodeAll(chunks: AsyncIterable<Uint8Array>, mostBytes: number): Promise<AnswerText> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return tooLarge(mostBytes);
    const decoded = decode(decoder, chunk);
    if (decoded === undefined) return NOT_UTF8;
    text += decoded;
  }
  const rest = decode(decoder);
  return rest === undefined ? NOT_UTF8 : { text: text + rest };
}

export const tooLarge = (mostBytes: number) => ({ flaw: `more than ${mostBytes / MEGABYTE} MB` });
export const NOT_UTF8 = { flaw: 'text that is not UTF-8' };

function decode(decoder: TextDecoder, chunk?: Uint8Array): string | undefined {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    return undefined;
  }
}

/** The JSON value of an answer, as parsed: ids like `__proto__` are ordinary keys of it. */
export function parseAnswer(answer: AnswerText): { readonly value: unknown } | { readonly flaw: string } {
  if ('flaw' in answer) return answer;
  if (answer.text.trim() === '') return { flaw: 'an empty body' };
  if (nestsDeeperThan(DEEPEST_NESTING, answer.text)) return { flaw: `JSON nested over ${DEEPEST_NESTING} levels deep` };
  try {
    return { value: JSON.parse(answer.text) };
  } catch {
    return { flaw: answer.text.trimStart().startsWith('<') ? 'HTML instead of JSON' : 'text that is not JSON' };
  }
}

const [QUOTE, BACKSLASH, BRACKET, BRACE, BRACKET_END, BRACE_END] = Buffer.from('"\\[{]}');

/** A parser or an expression that recurses is what hostile nesting is out for. */
function nestsDeeperThan(most: number, json: string): boolean {
  return hasMoreBrackets(most, json) && reachesDepth(most + 1, json);
}

/** Whether there are more opening brackets than that, texts included: most answers need no closer look. */
function hasMoreBrackets(most: number, json: string): boolean {
  let left = most;
  for (const bracket of ['{', '[']) {
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
}

/** One pass over the characters. */
function reachesDepth(goal: number, json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) inText = !inText;
    else if (inText && character === BACKSLASH) at += 1;
    else if (inText) continue;
    else if (character === BRACKET || character === BRACE) depth += 1;
    else if (character === BRACKET_END || character === BRACE_END) depth -= 1;
    if (depth >= goal) return true;
  }
  return false;
}
