import { SvcError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { formatMessage } from '../../output/message-text.ts';
import type { Explanation } from '../../service/development/reading/answers.ts';
import type { Reader } from '../../service/development/reading/reader.ts';
import { readFiles } from '../../settings/file/read-files.ts';
import { readTree } from '../../settings/file/read-tree.ts';
import { fieldOf, formatPlace, type Place, Problems, type Tree } from '../../settings/file/tree.ts';
import { findingsError } from '../call/findings-error.ts';
import type { Context } from '../context.ts';
import { formatAnnotation } from '../terminal/annotation.ts';
import { describeAccess } from './explain.ts';
import { readStore } from './reading.ts';

const FIELDS = ['org', 'user', 'document', 'expect'] as const;
const EXPECTATIONS = ['allowed', 'denied'];

type CaseValues = Readonly<Record<(typeof FIELDS)[number], string>>;

interface AccessCase {
  readonly values: CaseValues;
  readonly tree: Tree;
}

interface CaseResult {
  readonly place: Place;
  readonly expect: string;
  readonly explanation: Explanation;
  readonly passed: boolean;
}

/** Runs the access tests of a file. @throws SvcError `differs` if one fails, `bad_data` for an invalid file */
export async function checkAccessCases(context: Context, file: string): Promise<void> {
  const { cwd, signal, io } = context;
  const problems = new Problems();
  const [source] = await readFiles({ file, cwd, signal, stdin: io.stdin.stream });
  const tests = source ? readCases(readTree(source, problems), problems) : [];
  const isValid = problems.texts.length === 0;
  const results = isValid ? await readStore(context, (reader) => runCases(reader, tests, problems)) : [];
  const found = { findings: problems.texts, findingCount: problems.texts.length };
  const name = source?.name ?? file;
  if (found.findingCount > 0)
    throw await findingsError(context, found, { failure: 'bad_data', name, part: 'its cases', hint: 'fix the file' });
  const failed = results.filter(({ passed }) => !passed);
  const cases = results.map(({ place, expect, passed, explanation }) => ({
    position: formatPlace(place),
    expect,
    passed,
    ...explanation,
  }));
  const summary = `${name}: ${formatNounCount(results.length, 'case')}, ${failed.length} failed`;
  await (await context.printer()).value(
    { total: results.length, failed: failed.length, cases },
    {
      renderText: async ({ width: columns }) => {
        const lines = [...failed.map((result) => `${formatPlace(result.place)}: ${describeFailure(result)}`), summary];
        return (await Promise.all(lines.map((line) => formatMessage(line, { columns })))).join('');
      },
    },
  );
  if (context.environment['GITHUB_ACTIONS'] === 'true') await context.io.stderr.write(failed.map(annotationOf).join(''));
  if (failed.length > 0)
    throw new SvcError('differs', `${name}: ${failed.length} of ${formatNounCount(results.length, 'access test')} failed`);
}

function describeFailure({ explanation, expect }: CaseResult): string {
  const [granted] = explanation.via;
  return `${describeAccess(explanation)}${granted ? ` via ${granted.level} ${granted.id}` : ''}, expected ${expect}`;
}

function annotationOf(result: CaseResult): string {
  const { source, node } = result.place;
  const { line, column: col } = source.positionOf(node.range?.[0] ?? 0);
  return formatAnnotation(
    'error',
    { file: source.name === 'stdin' ? undefined : source.name, line, col },
    describeFailure(result),
  );
}

function readCases(root: Tree | undefined, problems: Problems): readonly AccessCase[] {
  if (!root) return [];
  checkFields(root, ['cases'], problems);
  const list = fieldOf(root, 'cases')?.tree;
  if (list && list.kind !== 'list') problems.add(list.place, 'expected a list of cases', { path: 'cases' });
  return list?.kind !== 'list' ? [] : list.items.map((tree) => ({ tree, values: readCase(tree, problems) }));
}

function readCase(tree: Tree, problems: Problems): CaseValues {
  checkFields(tree, FIELDS, problems);
  const values = FIELDS.map((name) => {
    const field = fieldOf(tree, name)?.tree;
    const value = field?.kind === 'scalar' ? field.value : undefined;
    if (field && typeof value !== 'string') problems.add(field.place, 'expected text; put it in quotes', { path: name });
    if (name === 'expect' && typeof value === 'string' && !EXPECTATIONS.includes(value)) {
      problems.add(field?.place ?? tree.place, `unknown value '${value}'; ${didYouMean(value, EXPECTATIONS)}`, { path: name });
    }
    return [name, String(value)] as const;
  });
  return Object.fromEntries(values) as CaseValues;
}

/** Reports missing and unknown fields. */
function checkFields(tree: Tree, names: readonly string[], problems: Problems): void {
  for (const [name, { key }] of tree.kind === 'map' ? tree.fields : []) {
    if (!names.includes(name)) problems.add(key, `unknown field '${name}'; ${didYouMean(name, names)}`);
  }
  for (const name of names) if (!fieldOf(tree, name)) problems.add(tree.place, `the field '${name}' is missing`);
}

async function runCases(reader: Reader, cases: readonly AccessCase[], problems: Problems) {
  const results: CaseResult[] = [];
  for (const { values, tree } of cases) {
    const { org: organization, user, document, expect } = values;
    try {
      const explanation = await reader.explain({ user, document, organization });
      results.push({ place: tree.place, expect, explanation, passed: explanation.allowed === (expect === 'allowed') });
    } catch (error) {
      if (!(error instanceof SvcError && error.failure === 'not_found')) throw error;
      // An ID that does not exist would pass each test that expects `denied`.
      const field = FIELDS.find((name) => error.message.startsWith(name));
      problems.add(
        (field && fieldOf(tree, field)?.tree.place) ?? tree.place,
        [error.message, error.hint].filter(Boolean).join('; '),
      );
    }
  }
  return results;
}
