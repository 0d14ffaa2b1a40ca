import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../../src/settings/file/read-settings.ts';
import { createSettings } from '../../../src/settings/pull/create-settings.ts';
import { editSettings } from '../../../src/settings/pull/edit-settings.ts';
import { findUndeclarableIds } from '../../../src/settings/pull/pulled-records.ts';
import { endpoint, folder, pull, readWorld, type World } from './pulled-world.ts';

describe('editing a settings file', () => {
  it.each<[string, string, World, string]>([
    [
      'replaces values in their own style, and keeps comments',
      `# top
endpoints: # all of them
  - uid: a   # first
    url: "https://x.example/old"   # moved
    description: 'it''s'
    disabled: true
    rateLimit: 5 # slow
  # second
  - { url: https://x.example/b, uid: b } # flow
`,
      { endpoints: [endpoint('b'), endpoint('a', { description: "it's new", rateLimit: 7 })] },
      `# top
endpoints:
  # all of them
  - uid: a # first
    url: "https://x.example/a" # moved
    description: 'it''s new'
    disabled: false
    rateLimit: 7 # slow
  # second
  - { url: https://x.example/b, uid: b } # flow
`,
    ],
    [
      'adds and removes records, in the style of the last one',
      `endpoints:
- { uid: gone, url: http://gone }   # gone
# keep me
- { uid: b, url: https://x.example/b }
- { uid: gone2,
    url: http://gone }

folders: []
stack: s
`,
      {
        endpoints: [endpoint('c', { description: 'y: z', filterTypes: ['x', 'z'] }), endpoint('b')],
        folders: [folder('f')],
      },
      `endpoints:
# keep me
- { uid: b, url: https://x.example/b }
- { uid: c, url: https://x.example/c, description: "y: z", filterTypes: [x, z], disabled: false }

folders:
- organizationId: o
  folderId: f
  folderName: f
stack: s
`,
    ],
    [
      'adds records to a block list, and kinds at the end',
      'svc: 1\r\nendpoints:\r\n    -   uid: a\r\n        url: https://x.example/a\r\n# end\r\n',
      {
        endpoints: [endpoint('b'), endpoint('a')],
        folders: [folder('f', { folderName: '007', inheritAccessFromParent: false })],
      },
      'svc: 1\r\nendpoints:\r\n  - uid: a\r\n    url: https://x.example/a\r\n  - uid: b\r\n    url: https://x.example/b\r\n    disabled: false\r\nfolders:\r\n  - organizationId: o\r\n    folderId: f\r\n    folderName: "007"\r\n    accessType: public\r\n\r\n# end\r\n',
    ],
    [
      'removes all records',
      'endpoints: # none left\n  - uid: a\n    url: http://a\n  - uid: b\n    url: http://b\nstack: s\n',
      { endpoints: [] },
      'endpoints:\n  # none left\n  []\nstack: s\n',
    ],
    [
      'replaces all records',
      'endpoints:\n  - uid: a\n    url: http://a\n# end',
      { endpoints: [endpoint('b')] },
      'endpoints:\n  - uid: b\n    url: https://x.example/b\n    disabled: false\n\n# end\n',
    ],
    [
      'removes fields that are not set, and changes lists item by item',
      `endpoints:
  - description: gone
    uid: a
    url: https://x.example/a
    filterTypes:
      - one # 1
      - two # 2
      - three
  - { channels: [p, "q", r], description: gone, uid: b, url: https://x.example/b }
  - { uid: c, rateLimit: 5, url: https://x.example/c, description: gone }
folders:
  - organizationId: o
    folderId: f
    accessType: public
`,
      {
        endpoints: [
          endpoint('c'),
          endpoint('b', { channels: ['q', 's'] }),
          endpoint('a', { filterTypes: ['four', 'three', 'one'] }),
        ],
        folders: [folder('f')],
      },
      `endpoints:
  - uid: a
    url: https://x.example/a
    filterTypes:
      - one # 1
      - three
      - four
  - { channels: ["q", s], uid: b, url: https://x.example/b }
  - { uid: c, url: https://x.example/c }
folders:
  - organizationId: o
    folderId: f
`,
    ],
    [
      'edits JSON',
      '{\n\t"endpoints": [\n\t\t{"uid": "a", "url": "http://a"}\n\t]\n}',
      { endpoints: [endpoint('b'), endpoint('a')] },
      '{\n\t"endpoints": [\n\t\t{\n\t\t\t"uid": "a",\n\t\t\t"url": "https://x.example/a"\n\t\t},\n\t\t{\n\t\t\t"uid": "b",\n\t\t\t"url": "https://x.example/b",\n\t\t\t"disabled": false\n\t\t}\n\t]\n}',
    ],
    [
      'changes only declared fields of configurations, and never secrets',
      `config:
  webhook:
    useWebhookService: false
    webhookServiceConfig:
      authToken: { env: T }
      rawNotificationUrl: https://x.example/\${a}
      triggers: { comment.add: true, comment.delete: false, gone: true }
vars: { a: b }
`.replace('https://x.example/${a}', '"https://x.example/${a}"'),
      {
        configs: {
          webhook: {
            useWebhookService: true,
            webhookServiceConfig: {
              authToken: '****',
              rawNotificationUrl: 'https://y.example/b?${c}',
              encodeData: true,
              triggers: { 'comment.add': true, 'comment.delete': true, other: true },
            },
          },
          email: { useEmailService: true, emailServiceConfig: {} },
        },
      },
      `config:
  webhook:
    useWebhookService: true
    webhookServiceConfig:
      authToken: { env: T }
      rawNotificationUrl: "https://y.example/\${a}?$\${c}"
      triggers: { comment.add: true, comment.delete: true, gone: false }
vars: { a: b }
`,
    ],
    [
      'adds configurations to a file without any, with references to their secrets',
      'svc: 1\n',
      {
        configs: {
          webhook: {
            useWebhookService: true,
            webhookServiceConfig: { authToken: '****', rawNotificationUrl: 'https://x.example' },
          },
        },
      },
      'svc: 1\nconfig:\n  webhook:\n    useWebhookService: true\n    webhookServiceConfig:\n      authToken:\n        env: SVC_WEBHOOK_AUTH_TOKEN\n      rawNotificationUrl: https://x.example\n',
    ],
    [
      'keeps records of an organization that was not read, and adds no empty lists',
      'folders:\n  - { organizationId: o, folderId: gone }\n  - { organizationId: p, folderId: g }\n',
      { endpoints: [], folders: [] },
      'folders:\n  - { organizationId: p, folderId: g }\n',
    ],
    [
      'matches by ID, and renames',
      'endpoints: [{ id: ep_a, url: http://a }]',
      { endpoints: [endpoint('b', { id: 'ep_b', uid: null }), endpoint('a')] },
      'endpoints: [{ id: ep_a, url: https://x.example/a }, { id: ep_b, url: https://x.example/b, disabled: false }]\n',
    ],
    [
      'replaces aliases',
      'agents: [{ id: x, url: &u http://u }]\nendpoints:\n  - uid: b\n    url: *u\n',
      { endpoints: [endpoint('b')] },
      'agents: [{ id: x, url: &u http://u }]\nendpoints:\n  - uid: b\n    url: https://x.example/b\n',
    ],
    [
      'rewrites text in blocks',
      'endpoints:\n  - uid: a\n    description: >-\n      some\n      text\n    url: https://x.example/a\n',
      { endpoints: [endpoint('a', { description: 'one\ntwo\u0085' })] },
      'endpoints:\n  - uid: a\n    description: "one\\ntwo\\u0085"\n    url: https://x.example/a\n',
    ],
  ])('%s', async (_, text, world, expected) => {
    const edited = await pull(text, world);
    expect(edited.text).toBe(expected);
    expect(edited.notes).toEqual([]);
    expect((await pull(edited.text, world)).text).toBe(edited.text);
  });

  it('leaves a text alone if its variables cannot express the value', async () => {
    const given =
      'vars: { hooks: https://hooks.example }\nendpoints:\n  - { uid: a, url: "${hooks}/a" }\nstack:   s\n';
    expect(await pull(given, { endpoints: [endpoint('a')] })).toEqual({
      text: given,
      notes: ['svc.yaml:3:20: endpoints[0].url: not changed, because it uses variables'],
      affected: [],
    });
  });

  it('keeps the comments above and below removed records', async () => {
    const given = `endpoints:
  # above all
  - uid: a # a
    url: https://x.example/a
  # above b

  # also above b
  - uid: b # b
    # in b
    url: https://x.example/b
    # end of b
  # above c
  - uid: c
    url: https://x.example/c
stack: s
`;
    expect((await pull(given, { endpoints: [endpoint('a')] })).text).toBe(`endpoints:
  # above all
  - uid: a # a
    url: https://x.example/a
  # above b

  # also above b
  # end of b
  # above c
stack: s
`);
    expect((await pull(given, { endpoints: [endpoint('c')] })).text).toMatch(
      /^endpoints:\n {2}# above all\n {2}# above b\n\n? {2}# also above b\n(.*\n)* {2}# above c\n {2}- uid: c\n/,
    );
    const { text } = await pull(given, { endpoints: [endpoint('c'), endpoint('b')] });
    expect(text.match(/above all/g)).toHaveLength(1);
  });

  it('leaves values alone that aliases may refer to', async () => {
    const given =
      'endpoints:\n  - { uid: a, url: &u http://u }\n  - { uid: b, url: *u }\n  - &c { uid: c, url: http://c }\n';
    expect(
      await pull(given, { endpoints: [endpoint('a'), endpoint('b', { url: 'http://u' })] }),
    ).toEqual({
      text: given,
      notes: [
        'svc.yaml:2:23: endpoints[0].url: not changed, because other values may refer to it',
        'svc.yaml:4:8: endpoints[2]: not changed, because other values may refer to it',
      ],
      affected: [],
    });
  });

  it('leaves merged fields alone', async () => {
    const given = 'agents: [&d { id: x, url: http://u }]\nendpoints:\n  - <<: *d\n    uid: a\n';
    expect(await pull(given, { endpoints: [endpoint('a', { id: 'x' })] })).toEqual({
      text: given,
      notes: [
        'svc.yaml:1:27: endpoints[0].url: not changed, because it is declared through an alias',
      ],
      affected: [],
    });
  });
});

describe('editing a settings file for one environment', () => {
  const file = `endpoints:
  - { uid: a, url: https://x.example/a, filterTypes: [one] } # base
  - { uid: b, url: https://x.example/b }
config:
  webhook: { useWebhookService: true }
environments:
  staging:
    profile: s # overlay
    endpoints:
      - uid: a
        disabled: true
  prod: {}
`;
  const webhook = { useWebhookService: true, webhookServiceConfig: {} };

  it('changes the overlay where it has the value', async () => {
    const world = { endpoints: [endpoint('b'), endpoint('a', { filterTypes: ['one'] })] };
    expect((await pull(file, world, 'staging')).text).toBe(
      file.replace('disabled: true', 'disabled: false'),
    );
  });

  it('changes values where they are declared, and adds records to the overlay', async () => {
    const world = {
      configs: { webhook: { ...webhook, useWebhookService: false } },
      endpoints: [
        endpoint('c'),
        endpoint('b', { url: 'http://b' }),
        endpoint('a', { filterTypes: ['two'], disabled: true }),
      ],
    };
    const edited = await pull(file, world, 'staging');
    expect(edited).toEqual({
      text: file
        .replace('[one]', '[two]')
        .replace('https://x.example/b', 'http://b')
        .replace('useWebhookService: true', 'useWebhookService: false')
        .replace(
          '        disabled: true\n',
          '        disabled: true\n      - uid: c\n        url: https://x.example/c\n        disabled: false\n',
        ),
      notes: [],
      affected: ['prod'],
    });
    expect((await pull(edited.text, world, 'staging')).text).toBe(edited.text);
    const onProduction = await pull(
      file,
      { endpoints: [...world.endpoints, endpoint('d')] },
      'prod',
    );
    expect(onProduction.text).toContain(
      '  prod:\n    endpoints:\n      - uid: d\n        url: https://x.example/d\n        disabled: false\n      - uid: c',
    );
  });

  it('leaves removed values alone that other environments use', async () => {
    const world = { endpoints: [endpoint('a', { disabled: true })] };
    expect(await pull(file, world, 'staging')).toEqual({
      text: file,
      notes: [
        'svc.yaml:2:54: endpoints[0].filterTypes: not removed, because other environments use it',
        'svc.yaml:3:5: endpoints[1]: not removed, because other environments use it',
      ],
      affected: [],
    });
  });

  it.each([
    ['the list', '{ endpoints: *e }', '5:22'],
    ['the overlay', '*p', '5:9'],
  ])('adds no records if an alias refers to %s', async (_, overlay, position) => {
    const text = `endpoints: &e
  - { uid: a, url: https://x.example/a }
environments:
  other: &p {}
  prod: ${overlay}
`;
    expect(await pull(text, { endpoints: [endpoint('b'), endpoint('a')] }, 'prod')).toEqual({
      text,
      notes: [
        `svc.yaml:${position}: endpoints: not changed, because it is declared through an alias`,
      ],
      affected: [],
    });
  });

  it('changes the file if there is no other environment', async () => {
    const own = file.replace('  prod: {}\n', '');
    const world = { endpoints: [endpoint('a', { disabled: true })] };
    expect(await pull(own, world, 'staging')).toEqual({
      text: own
        .replace(', filterTypes: [one]', '')
        .replace('  - { uid: b, url: https://x.example/b }\n', ''),
      notes: [],
      affected: [],
    });
  });
});

it('edits the files of a folder where they declare the values', async () => {
  const files = [
    {
      name: 'a.yaml',
      folder: '/',
      text: 'svc: 1 # a\nendpoints:\n  - { uid: a, url: http://a }\n',
    },
    {
      name: 'b.yaml',
      folder: '/',
      text: 'endpoints:\n  - { uid: b, url: http://b }\n  - { uid: c, url: http://c }\n',
    },
    { name: 'c.yaml', folder: '/', text: 'stack: c\n' },
  ];
  const { signal } = new AbortController();
  const { configs, records } = readWorld({
    endpoints: [endpoint('d'), endpoint('b'), endpoint('a')],
  });
  const content = await parseSettings({
    name: 'settings',
    files,
    environment: undefined,
    signal,
  });
  const { texts, ...counts } = await editSettings({
    configs,
    records,
    content,
    environment: undefined,
    wasRead: () => true,
    signal,
  });
  expect(counts).toEqual({ changed: 2, added: 1, removed: 1, notes: [], affected: [] });
  expect([...texts].map(([{ name }, text]) => [name, text])).toEqual([
    [
      'a.yaml',
      'svc: 1 # a\nendpoints:\n  - { uid: a, url: https://x.example/a }\n  - { uid: d, url: https://x.example/d, disabled: false }\n',
    ],
    ['b.yaml', 'endpoints:\n  - { uid: b, url: https://x.example/b }\n'],
  ]);
});

it('a new file names the stack, and has no empty lists', () => {
  const { configs, records } = readWorld({ endpoints: [], folders: [folder('f')] });
  const text = 'svc: 1\nstack: acme\nfolders:\n  - organizationId: o\n    folderId: f\n';
  expect(createSettings('acme', { configs, records })).toContain(text);
  expect(createSettings(undefined, { configs, records })).toContain(
    text.replace('stack: acme\n', ''),
  );
});

it('folders with an ID that no settings file accepts are left out, and listed', () => {
  const { live, records } = readWorld({
    folders: [folder('f'), folder(' f'), folder('g', { parentFolderId: ' f' })],
  });
  expect(records.get('folders')?.map(({ added }) => added['folderId'])).toEqual(['f']);
  expect(findUndeclarableIds(live)).toEqual([' f']);
});
