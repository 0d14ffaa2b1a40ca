import { SvcError } from '../../kernel/errors.ts';
import {
  languageOf,
  readSnippet,
  SNIPPET_LANGUAGES,
  type SnippetLanguage,
} from '../../webhooks/snippets.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { optionalProperty } from '../options.ts';
import { canAsk, withCiReason } from '../terminal/terminal.ts';
import type { SnippetFlags } from './flags.ts';

export async function snippetCommand(
  context: Context,
  { options }: Invocation<SnippetFlags>,
): Promise<void> {
  const { framework } = options;
  const ofFramework = framework && languageOf(framework);
  const language = options.lang ?? ofFramework ?? (await askForLanguage(context));
  if (ofFramework && ofFramework !== language)
    throw new SvcError('usage', `--framework ${framework} requires --lang ${ofFramework}`);
  const code = await readSnippet(language, framework);
  const snippet = { language, ...optionalProperty('framework', framework), code };
  await (await context.printer()).value(snippet, { renderText: () => code });
}

/** @throws SvcError `usage` if prompts are not possible */
async function askForLanguage(context: Context): Promise<SnippetLanguage> {
  const [first] = SNIPPET_LANGUAGES;
  if (!canAsk(context))
    throw new SvcError('usage', '--lang is required', {
      hint: withCiReason(context, `known languages: ${SNIPPET_LANGUAGES.join(', ')}`),
    });
  const choices = SNIPPET_LANGUAGES.map((value) => ({ value }));
  const chosen = await (await context.prompter()).pick({
    message: 'Language',
    choices,
    defaultValue: first,
  });
  return SNIPPET_LANGUAGES.find((language) => language === chosen) ?? first;
}
