import { jsonProblem } from '../../kernel/json-problem.ts';
import { type SyntaxProblem, syntaxProblem } from './json-syntax.ts';
import { InputError, type Place, placeWithin } from './record.ts';

/**
 * The value of one JSON text that stands at `place` of an input.
 * @throws SvcError `bad_data` with line and column: not JSON, nested too deep, a number that is too
 * large, or a whole number that would lose digits.
 */
export function parseJson(text: string, name: string, place: Place): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problemAt(name, place, text, syntaxProblem(text) ?? { offset: 0, problem: 'not valid JSON' });
  }
  const problem = jsonProblem(value, text);
  if (problem) throw problemAt(name, place, text, problem);
  return value;
}

function problemAt(name: string, place: Place, text: string, { offset, problem, hint }: SyntaxProblem) {
  return new InputError(name, placeWithin(text, offset, place), problem, hint);
}
