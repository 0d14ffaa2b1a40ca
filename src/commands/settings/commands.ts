import { defineCommand } from '../define-command.ts';
import type { CommandDefinition } from '../definition.ts';
import { APPLY_FLAGS, CHANGE_FLAGS, COMPARE_FLAGS, PLAN_FLAGS, PULL_FLAGS, UNDO_FLAGS } from './flags.ts';

export const SETTINGS_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['pull'],
    globalFlags: ['service', 'result'],
    summary: 'Write the live settings to a file',
    description:
      'Writes a new settings file, or changes an existing one where it differs: comments, order, and all other lines stay as they are. A new file contains the configurations and endpoints, an existing one the kinds that it declares; --only and --org select others. Secrets become references to environment variables.',
    examples: {
      'svc pull': 'write svc.yaml, or bring it up to date',
      'svc pull --env staging': 'bring the values of one environment up to date',
      'svc pull folders.yaml --only folders --org acme': 'write the folders of an organization',
    },
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
    examples: {
      'svc plan --env prod': 'compare svc.yaml with the prod environment',
      'svc plan --env prod --out plan.json': 'save the plan, to apply exactly these changes later',
      'svc plan --exit-code -o json': 'fail with 20 in scripts if there are changes',
    },
    options: PLAN_FLAGS,
    load: async () => (await import('./plan.ts')).planSettings,
  }),
  {
    command: ['plan', 'show'],
    globalFlags: ['result'],
    summary: 'Show a saved plan',
    description: 'Needs no service and no credentials, and also shows plans that can no longer be applied.',
    examples: { 'svc plan show plan.json': 'review a plan before it is applied' },
    arguments: [{ name: 'plan', description: 'file that svc plan --out has written', required: true }],
    load: async () => (await import('./plan.ts')).showPlan,
  },
  defineCommand({
    command: ['apply'],
    globalFlags: ['service', 'result'],
    summary: 'Make the changes that svc plan shows',
    description:
      'Shows the plan, asks for confirmation, and sends the changes as a job that svc jobs resume can continue. A failed change stops only the changes that require it. Reads back the written records. A saved plan is applied only if the file, the records, and the secrets are unchanged since it was saved (otherwise 15). The interface has no conditional writes: a change by another user between the check and the write is not detected.',
    examples: {
      'svc apply --env prod': 'plan, ask, and apply',
      'svc apply plan.json --yes': 'apply exactly the changes of a saved plan, in a script',
    },
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
    examples: {
      'svc drift --env prod': 'detect changes made by hand',
      'svc drift --only config --only endpoints -o json': 'check only webhooks and other configurations',
    },
    options: CHANGE_FLAGS,
    load: async () => (await import('./plan.ts')).reportDrift,
  }),
  defineCommand({
    command: ['compare'],
    globalFlags: ['connection', 'result'],
    summary: 'Compare two services or settings files',
    description:
      'Takes two profiles, environments, or files: a name with a slash, or that ends in .yaml or .yml, is a file; any other name is an environment of the settings file, or else a profile. For a file, only what it declares is compared. Secrets are shown only as differing.',
    examples: {
      'svc compare staging prod': 'compare the services of two profiles',
      'svc compare staging prod --org acme --only folders': 'compare the folders of an organization',
      'svc compare svc.yaml prod --exit-code': 'fail with 20 if a service differs from a file',
    },
    arguments: [
      { name: 'first', description: 'profile, environment, or file', required: true },
      { name: 'second', description: 'profile, environment, or file', required: true },
    ],
    options: COMPARE_FLAGS,
    load: async () => (await import('./compare.ts')).compareSettings,
  }),
  defineCommand({
    command: ['undo'],
    globalFlags: ['service', 'result'],
    summary: 'Plan to restore the values that a job replaced',
    description:
      'Shows a plan that restores updated folders, configurations, and webhook endpoints. Changes nothing: save the plan with --out, and run it with svc apply. Values that were changed after the job stay as they are. Jobs keep replaced values, without secrets, as long as the job itself: at most 30 days. SVC_UNDO=0 turns this off.',
    examples: {
      'svc undo': 'show how to undo the latest job',
      'svc undo 20260131-094500-5f3a9c --out undo.json': 'save the plan; svc apply undo.json runs it',
    },
    arguments: [{ name: 'job', description: 'job ID (default: the latest job that can be undone)', required: false }],
    options: UNDO_FLAGS,
    load: async () => (await import('./undo.ts')).undoJob,
  }),
];
