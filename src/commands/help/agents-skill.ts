import { FAILURES } from '../../kernel/errors.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';

/**
 * Text that teaches an AI agent to use svc, in the open format of skills. The documentation tests
 * run its commands.
 */
export function agentsSkill(): string {
  return `---
name: svc
description: Administer a collaboration backend with the svc command line. Use it to read or change organizations, folders, documents, users, groups, access, webhooks, and settings, to import records from files, and to try changes against the embedded service.
---

# svc

svc is a command-line tool. The result goes to stdout, messages go to stderr, and the exit code says what happened. Without a
terminal it never asks: it exits instead.

## Find a command, then its flags

The map has one line per command; \`*\` marks commands that write or hand out a secret. Read it once, then describe only the
commands that you use:

\`\`\`sh
svc commands --compact
svc commands users add -o json
\`\`\`

\`--local\` runs a command against the embedded service on this machine. Use it to try a change first. Without it, svc uses the
selected profile; \`svc whoami\` names it.

## Read

Select fields, and print CSV or a table. JSON repeats every name for every record:

\`\`\`sh
svc documents list --org acme --fields id,documentName -o csv
svc documents list --org acme --all --jq 'length'
\`\`\`

A list prints one page. A message on stderr names the cursor of the next page; \`--all\` reads all pages. Secrets are masked.

## Write

See the request before you send it. \`--dry-run\` checks the input and sends nothing:

\`\`\`sh
svc users add --org acme --user ada --name Ada --dry-run
svc users add --org acme --user ada --name Ada
\`\`\`

For many records, use one file instead of many commands. The dry run checks every record:

\`\`\`sh
svc users add --org acme --file users.csv --dry-run
svc users add --org acme --file users.csv -o json
\`\`\`

For settings, write the plan to a file, show it to a person, and apply exactly that plan:

\`\`\`sh
svc plan --out changes.json
svc plan show changes.json
\`\`\`

A person runs \`svc apply changes.json\`, or asks you to. A destructive command asks first. Don't confirm for a person: ask them
to run the command.

## Exit codes

| code | meaning | what to do |
|---|---|---|
| 0 | done | |
| 2 | ${FAILURES.usage.meaning} | read the hint, and fix the command |
| 3 | the input or the data is not valid | fix the data |
| 4 | no permission, or a protection | stop, and tell the person |
| 5 | ${FAILURES.not_found.meaning} | check the ID |
| ${FAILURES.unreachable.exitCode} | ${FAILURES.unreachable.meaning.split(';')[0]} | try again |
| ${FAILURES.outcome_unknown.exitCode} | ${FAILURES.outcome_unknown.meaning} | read the current state first; never just repeat |
| ${FAILURES.records_failed.exitCode} | ${FAILURES.records_failed.meaning} | fix the rejects file, and import it |
| ${FAILURES.stopped.exitCode} | ${FAILURES.stopped.meaning} | \`svc jobs resume\` |
| ${FAILURES.stale_plan.exitCode} | ${FAILURES.stale_plan.meaning} | plan again |

With \`-o json\`, each line on stderr is a JSON object: \`note\` for messages, and \`error\` as the last line, with \`code\`, \`message\`, \`hint\`, and \`retryable\`.

## Read-only and protected targets

Code \`read_only\` or \`approval_required\` means that a person decided against writes from here. It is not an error to work
around. Report the command that you wanted to run. If the folder has \`"readOnly": "remote"\` in \`.svc.json\`, you can still
try the command with \`--local\`.

\`\`\`sh
svc help read-only
\`\`\`

After \`approval_required\`, save the plan of the write, which sends nothing:

\`\`\`sh
svc users add --org acme --user grace --out plan.json
\`\`\`

A person reads and signs it with \`svc approve plan.json\`, and then sends it with \`svc apply plan.json\`.

To be sure that you change nothing, not even with \`--local\`, set the variable yourself:

\`\`\`sh
export ${SWITCH_VARIABLES.readOnly}=1
svc folders list --org acme
\`\`\`
`;
}
