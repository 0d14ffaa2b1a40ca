import { TextDecoder } from 'node:util';

const MEGABYTE = 1024 * 1024;
const MOST_MEGABYTES = 64;

/** Deep enough for folders 250 levels down, and shallow enough for code that recurses. */
const DEEPEST_NESTING = 500;

/** The text of an answer, or what is wrong with it in words that go on after "the service answered with". */
export type AnswerText = { readonly text: string } | { readonly flaw: string };

/**
 * Reads a body as UTF-8, decompressed, and gives up past 64 MB.
 * @throws the transport's error when the body breaks off
 */
export async function readAnswerText(response: Response, mostBytes = MOST_MEGABYTES * MEGABYTE): Promise<AnswerText> {
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
    if (bytes > mostBytes) return { flaw: `more than ${mostBytes / MEGABYTE} MB` };
    const decoded = decode(decoder, chunk);
    if (decoded === undefined) return NOT_UTF8;
    text += decoded;
  }
  const rest = decode(decoder);
  return rest === undefined ? NOT_UTF8 : { text: text + rest };
}

const NOT_UTF8 = { flaw: 'text that is not UTF-8' };

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

/** One pass over the characters: a parser or an expression that recurses is what hostile nesting is out for. */
function nestsDeeperThan(most: number, json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at);
    if (character === QUOTE) inText = !inText;
    else if (inText && character === BACKSLASH) at += 1;
    else if (inText) continue;
    else if (character === BRACKET || character === BRACE) depth += 1;
    else if (character === BRACKET_END || character === BRACE_END) depth -= 1;
    if (depth > most) return true;
  }
  return false;
}
