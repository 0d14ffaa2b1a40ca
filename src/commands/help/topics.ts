import { FAILURES } from '../../kernel/errors.ts';
import { FORMATS } from '../../output/format.ts';
import { TIME_STYLES } from '../../output/look.ts';
import { environmentVariables } from './environment.ts';
import { rows } from './rows.ts';
import type { TopicName } from './topic-names.ts';

/** Something to know that is no command. Each text is made when it is asked for, from the tables that the code itself reads. */
const TEXTS: { readonly [Name in TopicName]: () => string } = {
  environment,
  'exit-codes': exitCodes,
  formatting,
  profiles,
  bulk,
  webhooks,
};

export function topicText(name: TopicName): string {
  return TEXTS[name]();
}

function environment(): string {
  return lines(
    'A flag wins over a variable, a variable over .svc.json, and that over the profile. An empty variable is as good as none.',
    '',
    ...rows(environmentVariables()),
  );
}

function exitCodes(): string {
  const byCode = Map.groupBy(Object.values(FAILURES), ({ exitCode }) => exitCode);
  const codes = [...byCode].map(([code, failures]): [string, string] => {
    const again = failures.some(({ retryable }) => retryable) ? ' (may be run again)' : '';
    const said = new Set(failures.flatMap(({ meaning }) => meaning.split('; ')));
    return [String(code), [...said].join('; ') + again];
  });
  return lines(
    ...rows([['0', 'done, and everything is written'], ...codes]),
    '',
    'When several apply, 9 goes before 12, 11, 10 and the rest. With -o json or ndjson an error is one JSON object on stderr, with its code as a word, the exit code, and whether the same command may be run again.',
  );
}

function formatting(): string {
  return lines(
    `-o ${FORMATS.join(', ')}. table is the default everywhere, and the only one that is cut, on a terminal.`,
    '',
    ...rows([
      ['json', 'one document: the records of a list as an array, else the data of the answer'],
      ['ndjson', 'one record a line, while pages come in'],
      ['yaml', 'YAML 1.2 that a 1.1 reader reads the same'],
      ['csv', 'RFC 4180; a cell that a spreadsheet would take for a formula is neutralised'],
    ]),
    '',
    ...rows([
      ['--fields a,b', 'only these fields, in this order; a.b goes deeper'],
      ['--jq <expression>', 'the JSON through jq'],
      ['--envelope', 'the whole result, cursors included'],
      [`--time ${TIME_STYLES.join('|')}`, 'times in tables: RFC 3339 (default), how long ago, or as they came'],
      ['--all', 'every page; without it one, and stderr says how to go on'],
      ['-q', 'a command that has one value to give prints it bare: svc auth-tokens reset … -q'],
    ]),
    '',
    'On a terminal a table wraps long text, lays a record out as a list where its columns do not fit, and shows true and false as marks; a pipe gets words, and nothing is wrapped or cut. ACCESSIBLE=1: words there too. NO_COLOR: no colours.',
    '',
    'Results go to stdout, all talk to stderr. Secrets in answers are masked unless --show-secrets.',
  );
}

function profiles(): string {
  return lines(
    'A profile holds an address, an API key with its auth token, and a workspace with its own. Secrets are in the keychain of the system where it answers, else in a file that only you can read; svc auth status says where each value comes from.',
    '',
    '  # save one; the auth token is asked for without echo',
    '  svc profiles add prod --base-url https://api.example.com --api-key K',
    '  # use it for one command, or from now on',
    '  svc folders list --org acme --profile prod',
    '  svc profiles use prod',
    '',
    'A .svc.json in this folder or one above names a profile, an org and an output for everyone who works there; it never holds a secret or an address. A protected profile asks for its name before a write; a script says --yes and sets SVC_ALLOW. A stored credential goes to its own address only. In CI, variables do without any profile: svc help environment.',
  );
}

function bulk(): string {
  return lines(
    'Commands that take many records read --file: JSON, NDJSON, CSV or YAML, plain or gzipped, or stdin with -.',
    'Several files are one job: --file once for each, in the order in which they are to be sent.',
    '',
    '  # look at a file without sending anything',
    '  svc users validate --file users.csv',
    '  # send it; everything is checked before the first request',
    '  svc users add --org acme --file users.csv',
    '  # go on with a run that was stopped',
    '  svc jobs list',
    '',
    ...rows([
      ['--duplicates', 'what to do with records of one id: fail, first, last'],
      ['--on-error', 'continue or stop; --max-errors stops after that many'],
      ['--rejects', 'where records that did not land go, in the format of the files, to be corrected and sent again'],
      ['--results', 'a line for each record, as NDJSON'],
      ['--rate, --concurrency', 'how fast; left out, as fast as the service takes it'],
      ['--shard i/n', 'this machine of n takes its part of the records'],
    ]),
    '',
    'Exit 10: finished, some failed. 11, 130, 143: stopped, and the last line says how to go on. 9: what became of some is not known.',
  );
}

function webhooks(): string {
  return lines(
    'Basic webhooks post every event to one or two addresses; advanced webhooks sign each delivery, filter, and try again.',
    '',
    '  # set an endpoint up in a dialogue',
    '  svc webhooks setup',
    '  # receive deliveries here, check them, hand them on',
    '  svc webhooks listen --local --forward-to http://127.0.0.1:3000/hook',
    '  # send an event to a receiver, and look at one that was saved',
    '  svc webhooks send comment.add --url http://127.0.0.1:3000/hook --secret-file secret.txt',
    '  svc webhooks verify --headers headers.json --body body.json --secret-file secret.txt',
    '',
    'An advanced delivery carries webhook-id, webhook-timestamp and webhook-signature: HMAC-SHA256 under the secret of the endpoint over id.timestamp.body, the raw bytes. svc webhooks events lists the types.',
  );
}

function lines(...all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
