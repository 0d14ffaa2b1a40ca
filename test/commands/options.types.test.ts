import { describe, expectTypeOf, it } from 'vitest';
import type { Context } from '../../src/commands/context.ts';
import type {
  CommandDefinition,
  Invocation,
  OptionDefinition,
  OptionsOf,
} from '../../src/commands/definition.ts';
import { defineCommand } from '../../src/commands/definition.ts';
import { selectOptions } from '../../src/commands/options.ts';
import type { ListenFlags } from '../../src/commands/webhooks/flags.ts';

const FLAGS = [
  { flags: '-d, --max-depth <n>', description: 'levels to show' },
  { flags: '--public-url <url>', description: 'public address' },
  { flags: '--secret-file <path>', description: 'signing secrets', many: true },
  { flags: '--form <form>', description: 'form of deliveries', choices: ['basic', 'advanced'] },
  {
    flags: '--only <case>',
    description: 'only these cases',
    choices: ['cut', 'large'],
    many: true,
  },
  { flags: '--list', description: 'only list' },
  { flags: '--no-check', description: 'no calls' },
  { flags: '--record <dir>', description: 'folder of records' },
  { flags: '--no-record', description: 'record nothing' },
] as const satisfies readonly OptionDefinition[];

type Flags = OptionsOf<typeof FLAGS>;

const definition = {
  command: ['example'],
  summary: 'Example',
  options: FLAGS,
  globalFlags: [],
} as const;

async function runExample(_context: Context, _invocation: Invocation<Flags>): Promise<void> {}
async function runWithoutOptions(_context: Context, _invocation: Invocation): Promise<void> {}
async function runWithSwitch(
  _context: Context,
  _invocation: Invocation<{ maxDepth?: boolean }>,
): Promise<void> {}
async function runWithDepth(
  _context: Context,
  _invocation: Invocation<{ depth?: string }>,
): Promise<void> {}
async function runWithMore(
  _context: Context,
  _invocation: Invocation<Flags & { depth?: string }>,
): Promise<void> {}

describe('a flag without a description', () => {
  it('does not compile', () => {
    const flags: readonly OptionDefinition[] = [
      { flags: '--x', description: 'two words' },
      // @ts-expect-error: the description is missing
      { flags: '--x' },
      // @ts-expect-error: the description is empty
      { flags: '--x', description: '' },
    ];
    expectTypeOf(flags).toEqualTypeOf<readonly OptionDefinition[]>();
  });
});

describe('the options of a command', () => {
  it('have the keys and types of their definitions', () => {
    expectTypeOf<Flags>().toEqualTypeOf<{
      readonly maxDepth?: string | undefined;
      readonly publicUrl?: string | undefined;
      readonly secretFile?: readonly string[] | undefined;
      readonly form?: 'basic' | 'advanced' | undefined;
      readonly only?: readonly ('cut' | 'large')[] | undefined;
      readonly list?: boolean | undefined;
      readonly check?: false | undefined;
      readonly record?: string | false | undefined;
    }>();
  });

  it('cannot be read under a misspelled key', () => {
    const options: Flags = selectOptions(FLAGS, { publicUrl: 'https://example.com' });
    expectTypeOf(options.publicUrl).toEqualTypeOf<string | undefined>();
    // @ts-expect-error: the key is publicUrl
    expectTypeOf(options.publicURL).toBeAny();
    // @ts-expect-error: the key is publicUrl
    expectTypeOf(options['public-url']).toBeAny();
    // @ts-expect-error: a command without options reads none
    expectTypeOf((invocation: Invocation) => invocation.options.publicUrl).toBeFunction();
    // @ts-expect-error: svc webhooks listen has no such option
    expectTypeOf<ListenFlags['publicURL']>().toBeAny();
  });

  it('are what the loaded function accepts', () => {
    defineCommand({ ...definition, load: async () => runExample });
    defineCommand({ ...definition, load: async () => runWithoutOptions });
    defineCommand({
      ...definition,
      load:
        async () =>
        async (_context, { options }) =>
          void options.maxDepth,
    });
    // @ts-expect-error: --max-depth is not a switch
    defineCommand({ ...definition, load: async () => runWithSwitch });
    // @ts-expect-error: no option has the key depth
    defineCommand({ ...definition, load: async () => runWithDepth });
    // @ts-expect-error: no option has the key depth, although others fit
    defineCommand({ ...definition, load: async () => runWithMore });
    // @ts-expect-error: only defineCommand ties the options to the code
    const load: CommandDefinition['load'] = async () => runExample;
    expectTypeOf(load).toBeFunction();
  });
});
