import type { Explanation } from '../../catalog/local/answers.ts';
import type { AdminInput } from '../../catalog/local/index.ts';
import { SvcError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { formatMessage, wrapMessage } from '../../output/message-text.ts';
import type { View } from '../../output/renderer.ts';
import { formatTime } from '../../output/times.ts';
import { createMeasure } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { runAdminOperation } from '../../service/local/operations.ts';
import { readFiles } from '../../settings/file/read-files.ts';
import { readTree } from '../../settings/file/read-tree.ts';
import { fieldOf, formatPlace, Problems, type Tree } from '../../settings/file/tree.ts';
import { createFindingsError } from '../call/findings-error.ts';
import type { Context } from '../context.ts';
import type { Invocation, ParsedOptions } from '../definition.ts';
import { annotateLog, formatAnnotation } from '../terminal/annotation.ts';
import { withAdminContext } from './admin-context.ts';
import { createLocalCommand } from './operation.ts';

const explainAccess = createLocalCommand('local.explain', {
  run: async ({ context, run }) => {
    const [explanation] = await run();
    await (await context.printer()).value(explanation, {
      renderText: (view) => renderExplanation(explanation, view),
    });
  },
});

export async function explainLocalAccess(
  context: Context,
  invocation: Invocation<ParsedOptions>,
): Promise<void> {
  const { cases, user, document, org } = invocation.options;
  if (typeof cases !== 'string') return explainAccess(context, invocation);
  if ([user, document, org].some((value) => value !== undefined))
    throw new SvcError('usage', 'specify --user, --document, and --org, or only --cases');
  await checkAccessCases(context, cases);
}

async function renderExplanation(explanation: Explanation, view: View): Promise<string> {
  const { via, nearMisses, path, grant, user } = explanation;
  const chain = path.map(
    ({ id, accessType, inherited }) =>
      `${id}${accessType === 'restricted' && !inherited ? ' (restricted)' : ''}`,
  );
  const notes = [
    ...via.map((granted) => `via ${describeMembership(granted, view)}`),
    ...nearMisses.map((missed) => `not via ${describeMembership(missed, view)}`),
    ...(via.length + nearMisses.length === 0 ? [`${user} is not a member of any level`] : []),
    `path: ${chain.toReversed().join(' > ')}`,
  ];
  const lines = [describeAccess(explanation), ...notes.map((note) => `  ${note}`)].map(
    escapeForTerminal,
  );
  const width = view.width ?? Number.POSITIVE_INFINITY;
  const measure = await createMeasure([lines]);
  const text = lines.flatMap((line) => {
    const [first = '', ...more] = wrapWords(line, width - 4, measure, true);
    return [first, ...more.map((rest) => `    ${rest}`)];
  });
  if (grant === null) return `${text.join('\n')}\n`;
  return `${text.join('\n')}\n${await wrapMessage(['grant access: ', { command: escapeForTerminal(grant) }], width)}\n`;
}

type Membership = Explanation['via'][number] & Partial<Explanation['nearMisses'][number]>;

function describeMembership(
  { level, id, role, expiresAt, reason, restrictedBy }: Membership,
  { display }: View,
): string {
  const expiry = expiresAt === null ? undefined : formatTime(expiresAt, display);
  const time =
    expiry === undefined ? '' : `, ${reason === 'expired' ? reason : 'expires'} ${expiry}`;
  return `${level} ${id} (${role}${time})${restrictedBy ? `: ${restrictedBy.level} ${restrictedBy.id} is restricted` : ''}`;
}

const FIELDS = ['org', 'user', 'document', 'expect'] as const;
const EXPECTATIONS = ['allowed', 'denied'];

interface CaseResult extends Explanation {
  readonly at: string;
  readonly expect: string;
  readonly passed: boolean;
}

/**
 * Runs the access tests of a file.
 * @throws SvcError `differs` if one fails, `invalid_input` for an invalid file
 */
async function checkAccessCases(context: Context, file: string): Promise<void> {
  const { cwd, signal, io, environment } = context;
  const problems = new Problems();
  const [source] = await readFiles({ file, cwd, signal, stdin: io.stdin });
  const root = source && (await readTree(source, problems, signal));
  const cases = root ? readCases(root, problems) : [];
  const isValid = problems.texts.length === 0;
  const results = isValid
    ? await withAdminContext(context, 'local.explain', (records) =>
        runCases(
          (question) => runAdminOperation('local.explain', records, question),
          cases,
          problems,
        ),
      )
    : [];
  const found = { findings: problems.texts, findingCount: problems.texts.length };
  const error = {
    failure: 'invalid_input',
    name: file,
    part: 'its cases',
    hint: 'fix the file',
  } as const;
  if (found.findingCount > 0) throw await createFindingsError(context, found, error);
  const failures = results.filter(({ passed }) => !passed);
  const summary = `${file}: ${formatNounCount(results.length, 'case')}, ${failures.length} failed`;
  const lines = [
    ...failures.map((failure) => `${failure.at}: ${describeFailure(failure)}`),
    summary,
  ];
  const report = { total: results.length, failed: failures.length, cases: results };
  await (await context.printer()).value(report, {
    renderText: async ({ width: columns }) =>
      (await Promise.all(lines.map((line) => formatMessage(line, { columns })))).join(''),
  });
  if (environment['GITHUB_ACTIONS'] === 'true')
    await annotateLog(io.stderr, failures.map(annotationOf).join(''));
  if (failures.length === 0) return;
  throw new SvcError(
    'differs',
    `${file}: ${failures.length} of ${formatNounCount(results.length, 'access test')} failed`,
  );
}

function describeFailure(failure: CaseResult): string {
  const [granted] = failure.via;
  return `${describeAccess(failure)}${granted ? ` via ${granted.level} ${granted.id}` : ''}, expected ${failure.expect}`;
}

function annotationOf(failure: CaseResult): string {
  const [, name = '', line, col] = /^(.*):(\d+):(\d+)$/s.exec(failure.at) ?? [];
  const position = {
    file: name === 'stdin' ? undefined : name,
    line: Number(line),
    col: Number(col),
  };
  return formatAnnotation('error', position, describeFailure(failure));
}

function readCases(root: Tree, problems: Problems): readonly Tree[] {
  checkFields(root, ['cases'], problems);
  const list = fieldOf(root, 'cases')?.tree;
  if (list && list.kind !== 'list') problems.add(list.place, 'expected a list of cases');
  const cases = list?.kind === 'list' ? list.items : [];
  for (const each of cases) {
    checkFields(each, FIELDS, problems);
    for (const name of FIELDS) {
      const field = fieldOf(each, name)?.tree;
      const value = field?.kind === 'scalar' ? field.value : undefined;
      if (field && typeof value !== 'string')
        problems.add(field.place, `${name}: expected text; put it in quotes`);
      else if (field && name === 'expect' && !EXPECTATIONS.includes(String(value))) {
        problems.add(
          field.place,
          `${name}: unknown value '${value}'; ${didYouMean(String(value), EXPECTATIONS)}`,
        );
      }
    }
  }
  return cases;
}

function checkFields(tree: Tree, names: readonly string[], problems: Problems): void {
  for (const [name, { key }] of tree.kind === 'map' ? tree.fields : []) {
    if (!names.includes(name))
      problems.add(key, `unknown field '${name}'; ${didYouMean(name, names)}`);
  }
  for (const name of names)
    if (!fieldOf(tree, name)) problems.add(tree.place, `the field '${name}' is required`);
}

/** Reports IDs that do not exist: they would pass each test that expects `denied`. */
async function runCases(
  explain: (question: AdminInput<'local.explain'>) => Promise<Explanation>,
  cases: readonly Tree[],
  problems: Problems,
): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const tree of cases) {
    const [org = '', user = '', document = '', expect = ''] = FIELDS.map((name) =>
      textValue(tree, name),
    );
    const explanation = await explain({ user, document, org }).catch((error: unknown) => {
      if (!(error instanceof SvcError && error.failure === 'not_found')) throw error;
      const field = FIELDS.find((name) => error.message.startsWith(name)) ?? 'document';
      problems.add(
        fieldOf(tree, field)?.tree.place ?? tree.place,
        [error.message, error.hint].filter(Boolean).join('; '),
      );
    });
    if (!explanation) continue;
    results.push({
      at: formatPlace(tree.place),
      expect,
      passed: explanation.allowed === (expect === 'allowed'),
      ...explanation,
    });
  }
  return results;
}

function textValue(tree: Tree, name: string): string {
  const field = fieldOf(tree, name)?.tree;
  return field?.kind === 'scalar' ? String(field.value) : '';
}

/** Summarizes an explanation: `u1 can open d1 as editor`. */
function describeAccess({ user, document, role, disabled }: Explanation): string {
  if (disabled) return `${user} cannot open ${document}: the document is disabled`;
  return role ? `${user} can open ${document} as ${role}` : `${user} cannot open ${document}`;
}
