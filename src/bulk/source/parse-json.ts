import { findJsonProblem } from '../../kernel/json-problem.ts';
import { findSyntaxProblem, type SyntaxProblem } from './json-syntax.ts';
import { InputError, type Position, positionWithin } from './source.ts';

/**
 * Parses JSON text that starts at `position` in the input.
 * @throws SvcError `bad_data`, with the line and column, if the text is not valid JSON, is nested too deeply, or contains
 * a number that is too large or a whole number that would lose precision
 */
export function parseJson(text: string, name: string, position: Position): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw problemAt(name, position, text, findSyntaxProblem(text) ?? { offset: 0, problem: 'not valid JSON' });
  }
  const problem = findJsonProblem(value, text);
  if (problem) throw problemAt(name, position, text, problem);
  return value;
}

function problemAt(name: string, position: Position, text: string, { offset, problem, hint }: SyntaxProblem) {
  return new InputError(name, positionWithin(text, offset, position), problem, hint);
}
