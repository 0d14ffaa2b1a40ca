import { type CommandDefinition, defineCommand } from '../definition.ts';
import {
  APPLY_FLAGS,
  APPROVE_FLAGS,
  CHANGE_FLAGS,
  COMPARE_FLAGS,
  PLAN_FLAGS,
  PULL_FLAGS,
  UNDO_FLAGS,
} from './flags.ts';

export const SETTINGS_COMMANDS: readonly CommandDefinition[] = [
  defineCommand({
    command: ['pull'],
    globalFlags: ['service', 'result'],
    summary: 'Write the live settings to a file',
    description:
      'Creates a settings file, or updates the values that differ in an existing one and keeps its comments and order. Pulls configurations and endpoints into a new file, and the declared kinds into an existing one. Use --only and --org to select others. Replaces secrets with references to environment variables.',
    examples: {
      'svc pull': 'write svc.yaml, or bring it up to date',
      'svc pull --env staging': 'bring the values of one environment up to date',
      'svc pull folders.yaml --only folders --org acme': 'write the folders of an organization',
    },
    arguments: [
      {
        name: 'file',
        description: 'settings file, or folder of YAML files (default: svc.yaml)',
        required: false,
        file: 'edited',
      },
    ],
    options: PULL_FLAGS,
    load: async () => (await import('./pull.ts')).pullSettings,
  }),
  defineCommand({
    command: ['plan'],
    globalFlags: ['service', 'result'],
    summary: 'Show what svc apply would change, without changing anything',
    description:
      'Compares a settings file with the live service. Only declared fields are compared. Symbols: + create, ~ update, -/+ replace, - delete, > send (cannot be read back), ! cannot be changed through the API, ? could not be read. Ends with the people whose access to folders and documents changes, as far as their current access is known. Saved plans contain no secrets.',
    examples: {
      'svc plan --env prod': 'compare svc.yaml with the prod environment',
      'svc plan --env prod --out plan.json': 'save the plan, to apply exactly these changes later',
      'svc plan --expiring 30d': 'also list the declared access that ends within 30 days',
      'svc plan --exit-code -o json': 'exit with 20 if there are changes, for scripts',
    },
    options: PLAN_FLAGS,
    load: async () => (await import('./plan.ts')).planSettings,
  }),
  {
    command: ['plan', 'show'],
    globalFlags: ['result'],
    summary: 'Show a saved plan',
    description: 'Works offline and without credentials. Outdated plans can be shown too.',
    examples: { 'svc plan show plan.json': 'review a plan before it is applied' },
    arguments: [
      { name: 'plan', description: 'plan file from --out', required: true, file: 'input' },
    ],
    load: async () => (await import('./plan.ts')).showPlan,
  },
  defineCommand({
    command: ['approve'],
    globalFlags: ['result'],
    summary: 'Approve a saved plan by signing it',
    description:
      'Shows the whole plan, asks for the host of its target, and signs the plan with your SSH key. If the settings file maps an environment to the target, you can also enter the name of the environment. Saves the signature beside the plan, where svc apply finds it. Without an argument, offers the plans in the current folder that can still be applied. In a pipe, only lists them. Works offline and without credentials, but signs only on a terminal. The signature is made by ssh-keygen, covers exactly this plan, and is valid for 24 hours.',
    examples: {
      'svc approve': 'choose a plan that waits for an approval',
      'svc approve plan.json': 'approve a plan with your SSH key',
      'svc approve plan.json --key ~/.ssh/id_ed25519_sk': 'sign with a key in hardware',
    },
    arguments: [
      {
        name: 'plan',
        description: 'plan file from --out (default: choose one)',
        required: false,
        file: 'input',
      },
    ],
    options: APPROVE_FLAGS,
    load: async () => (await import('./approve.ts')).approvePlan,
  }),
  defineCommand({
    command: ['apply'],
    globalFlags: ['service', 'result'],
    summary: 'Make the changes that svc plan shows',
    description:
      'Shows the plan, asks for confirmation, and sends the changes as a job that svc jobs resume can continue. A failed change stops only the changes that depend on it. Afterward, reads the written records to verify them. A saved plan of a write or an import is sent as the command would have sent it. A saved plan is applied only if the file, the records, and the secrets are unchanged since it was saved. Otherwise, exits with 15. The API has no conditional writes: a change by another user between the check and the write is not detected.',
    examples: {
      'svc apply --env prod': 'show the plan, ask for confirmation, and apply it',
      'svc apply plan.json --yes': 'apply exactly the changes of a saved plan, in a script',
    },
    arguments: [
      {
        name: 'plan',
        description: 'saved plan, or settings file (default: svc.yaml)',
        required: false,
        file: 'input',
      },
    ],
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
      'svc drift --only config --only endpoints -o json':
        'check only configurations and webhook endpoints',
    },
    options: CHANGE_FLAGS,
    load: async () => (await import('./plan.ts')).reportDrift,
  }),
  defineCommand({
    command: ['compare'],
    globalFlags: ['connection', 'result'],
    summary: 'Compare two services or settings files',
    description:
      'Each argument is a profile, an environment, or a file. A name that contains a slash or ends in .yaml or .yml is a file. Any other name is an environment of the settings file, or a profile if there is no such environment. For a file, only declared fields are compared. Also compares the API keys of two services, by name, if both have credentials of a workspace. Never prints secrets, only whether they differ.',
    examples: {
      'svc compare staging prod': 'compare the services of two profiles',
      'svc compare staging prod --org acme --only folders':
        'compare the folders of an organization',
      'svc compare svc.yaml prod --exit-code': 'exit with 20 if a service differs from a file',
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
    summary: 'Create a plan that restores replaced values',
    description:
      'Shows a plan that restores the folders, configurations, and webhook endpoints that svc apply or a job replaced. Changes nothing: save the plan with --out, and apply it with svc apply. Skips values that were changed later. Replaced values, without secrets, are kept for up to 30 days. SVC_UNDO=0 turns this off. Single commands cannot be undone.',
    examples: {
      'svc undo': 'show how to undo the latest job',
      'svc undo 20260131-094500-5f3a9c --out undo.json': 'save the plan for svc apply undo.json',
    },
    arguments: [
      {
        name: 'job',
        description: 'ID of a job (default: the latest that can be undone)',
        required: false,
      },
    ],
    options: UNDO_FLAGS,
    load: async () => (await import('./undo.ts')).undoJob,
  }),
];
