import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';

describe('an update of settings', () => {
  it('prints what was updated and the given fields with their new values', async () => {
    const { svc, home } = await newUserInProcess();
    await writeFile(join(home, 'key.txt'), 'key-of-the-provider-1');
    const update = (...words: readonly string[]) => svc([...words, '--local']);
    expect((await update('webhooks', 'advanced', 'update', '--enable')).stdout).toBe(
      'Updated configuration of advanced webhooks\nisEnabled  true\n',
    );
    const email = ['email', 'update', '--from-email', 'a@example.com', '--api-key-file', 'key.txt'];
    expect((await update(...email, '--trigger', 'comment.add=false')).stdout).toBe(
      `Updated email configuration
emailServiceConfig
  apiKey         ****er-1
  fromEmail      a@example.com
  triggers
    comment.add  false
`,
    );
    const create = ['webhooks', 'endpoints', 'create', '--url', 'https://example.com/hook'];
    const { id } = JSON.parse((await update(...create, '-o', 'json')).stdout);
    const describes = ['webhooks', 'endpoints', 'update', id, '--description', 'Orders'];
    expect((await update(...describes)).stdout).toBe(
      `Updated webhook endpoint ${id}\ndescription  Orders\n`,
    );
  });

  it('prints all fields in other formats, and with --fields the selected ones', async () => {
    const { svc } = await newUserInProcess();
    const update = ['webhooks', 'advanced', 'update', '--local', '--enable'];
    expect(JSON.parse((await svc([...update, '-o', 'json'])).stdout)).toMatchObject({
      isEnabled: true,
      encodeData: false,
    });
    expect((await svc([...update, '--fields', 'encodeData'])).stdout).toBe('encodeData  false\n');
  });
});
