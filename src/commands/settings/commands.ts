import { defineCommand } from '../define-command.ts';
import type { CommandDefinition } from '../definition.ts';
import { APPLY_FLAGS, CHANGE_FLAGS, COMPARE_FLAGS, PLAN_FLAGS, PULL_FLAGS } from './flags.ts';

/** Commands for settings as code. */
export const SETTINGS_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['pull'],
    globalFlags: ['service', 'result'],
    summary: 'Write the live settings to a file',
    description:
      'Writes a new settings file, or changes an existing one where it differs: comments, order, and all other lines stay as they are. A new file contains the configurations and endpoints, an existing one the kinds that it declares; --only and --org select others. Secrets become references to environment variables.',
    examples: [
      { command: 'svc pull', caption: 'write svc.yaml, or bring it up to date' },
      { command: 'svc pull --env staging', caption: 'bring the values of one environment up to date' },
      { command: 'svc pull folders.yaml --only folders --org acme', caption: 'write the folders of an organization' },
    ],
    arguments: [
      { name: 'file', description: 'settings file, or folder of YAML files (default: svc.yaml)', required: false },
    ],
    options: PULL_FLAGS,
    load: async () => (await import('./pull.ts')).pullSettings,
  }),
  defineCommand({
    command: ['plan'],
    globalFlags: ['service', 'result'],
    summary: 'Show what svc apply would change, without changing anything',
    description:
      'Compares a settings file with the live service. Only declared fields are compared. Signs: + create, ~ update, -/+ replace, - delete, > send (cannot be read back), ! cannot be changed through the interface, ? could not be read. Saved plans contain no secrets.',
    examples: [
      { command: 'svc plan --env prod', caption: 'compare svc.yaml with the prod environment' },
      {
        command: 'svc plan --env prod --out plan.json',
        caption: 'save the plan, to apply exactly these changes later',
      },
      { command: 'svc plan --exit-code -o json', caption: 'fail with 20 in scripts if there are changes' },
    ],
    options: PLAN_FLAGS,
    load: async () => (await import('./plan.ts')).planSettings,
  }),
  {
    command: ['plan', 'show'],
    globalFlags: ['result'],
    summary: 'Show a saved plan',
    description: 'Needs no service and no credentials, and also shows plans that can no longer be applied.',
    examples: [{ command: 'svc plan show plan.json', caption: 'review a plan before it is applied' }],
    arguments: [{ name: 'plan', description: 'file that svc plan --out has written', required: true }],
    load: async () => (await import('./show-plan.ts')).showPlan,
  },
  defineCommand({
    command: ['apply'],
    globalFlags: ['service', 'result'],
    summary: 'Make the changes that svc plan shows',
    description:
      'Shows the plan, asks for confirmation, and sends the changes as a job that svc jobs resume can continue. A failed change stops only the changes that require it. Reads back the written records. A saved plan is applied only if the file, the records, and the secrets are unchanged since it was saved (otherwise 15). The interface has no conditional writes: a change by another user between the check and the write is not detected.',
    examples: [
      { command: 'svc apply --env prod', caption: 'plan, ask, and apply' },
      { command: 'svc apply plan.json --yes', caption: 'apply exactly the changes of a saved plan, in a script' },
    ],
    arguments: [{ name: 'plan', description: 'saved plan, or settings file (default: svc.yaml)', required: false }],
    options: APPLY_FLAGS,
    load: async () => (await import('./apply.ts')).applySettings,
  }),
  defineCommand({
    command: ['drift'],
    globalFlags: ['service', 'result'],
    summary: 'Check whether the live service still matches a settings file',
    description:
      'Exits with 20 if the service differs. Records that cannot be read back, such as users and groups, are not compared. Suitable for a nightly job.',
    examples: [
      { command: 'svc drift --env prod', caption: 'detect changes made by hand' },
      {
        command: 'svc drift --only config --only endpoints -o json',
        caption: 'check only webhooks and other configurations',
      },
    ],
    options: CHANGE_FLAGS,
    load: async () => (await import('./drift.ts')).reportDrift,
  }),
  defineCommand({
    command: ['compare'],
    globalFlags: ['connection', 'result'],
    summary: 'Compare two services or settings files',
    description:
      'Takes two profiles, environments, or files: a name with a slash, or that ends in .yaml or .yml, is a file; any other name is an environment of the settings file, or else a profile. For a file, only what it declares is compared. Secrets are shown only as differing.',
    examples: [
      { command: 'svc compare staging prod', caption: 'compare the services of two profiles' },
      {
        command: 'svc compare staging prod --org acme --only folders',
        caption: 'compare the folders of an organization',
      },
      { command: 'svc compare svc.yaml prod --exit-code', caption: 'fail with 20 if a service differs from a file' },
    ],
    arguments: [
      { name: 'first', description: 'profile, environment, or file', required: true },
      { name: 'second', description: 'profile, environment, or file', required: true },
    ],
    options: COMPARE_FLAGS,
    load: async () => (await import('./compare.ts')).compareSettings,
  }),
];
