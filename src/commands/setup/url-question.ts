import { completeLoopbackUrl } from '../../kernel/loopback.ts';
import type { Context } from '../context.ts';
import { findCredentialProblem } from '../deliveries/targets.ts';
import { describeDuplicates } from './existing-endpoints.ts';
import { type Asked, type EndpointSubject, findProblem } from './field-question.ts';
import { offerPing } from './ping.ts';
import type { SetupOperation } from './setup-operation.ts';

export async function askUrl(context: Context, { subject, message, current }: Asked): Promise<string> {
  const prompter = await context.prompter();
  let preset = current === undefined ? undefined : String(current);
  for (;;) {
    const url = await prompter.text({
      message,
      defaultValue: preset,
      complete: completeLoopbackUrl,
      validate: (answer) => findUrlProblem(subject, answer),
    });
    if (url === current) return url;
    if ((await acceptDuplicate(context, subject, url)) && (await offerPing(context, new URL(url)))) return url;
    preset = url;
  }
}

/** Points out the endpoints that already use a URL. @returns whether the URL may be used again */
async function acceptDuplicate(context: Context, { existing }: EndpointSubject, url: string): Promise<boolean> {
  const duplicates = describeDuplicates(existing, url);
  if (duplicates.length === 0) return true;
  for (const duplicate of duplicates) await context.note(`  ${duplicate}`);
  return (await context.prompter()).confirm('Add another endpoint for this URL?', true);
}

function findUrlProblem(subject: SetupOperation, answer: string): string | undefined {
  const problem = findProblem(subject, 'url', answer);
  if (problem === undefined) {
    const credentialProblem = findCredentialProblem(new URL(answer));
    return credentialProblem && `URL ${credentialProblem}`;
  }
  const secure = `https://${answer}`;
  const isOnlyScheme = !answer.includes(':') && answer.includes('.') && URL.canParse(secure);
  return isOnlyScheme ? `${problem}; did you mean ${secure}?` : problem;
}
