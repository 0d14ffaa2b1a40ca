import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledPackage } from './bundled.ts';

const HEAD = `svc contains code of the packages below, under their own licenses.
`;

/** What a package contains in turn, in a compiled form that no license file beside it names. */
const COMPILED: ReadonlyMap<string, string> = new Map([
  [
    'jq-wasm',
    `Compiled into it are jq 1.8.2 (MIT, Copyright (C) 2012 Stephen Dolan and others, https://github.com/jqlang/jq),
with decNumber (ICU License, Copyright (c) 1995-2005 International Business Machines Corporation and others),
and Oniguruma (BSD-2-Clause, Copyright (c) 2002-2021 K.Kosako).`,
  ],
  ['undici', 'Compiled into it is llhttp (MIT, Copyright Fedor Indutny, 2018, https://github.com/nodejs/llhttp).'],
]);

/** The notices that the licenses of bundled packages ask for: each package with the text of its license. */
export function thirdPartyNotices(packages: readonly BundledPackage[]): string {
  return [HEAD, ...packages.map(noticeOf)].join(`\n${'-'.repeat(80)}\n\n`);
}

function noticeOf({ name, version, license, folder }: BundledPackage): string {
  const compiled = COMPILED.get(name);
  return [`${name} ${version} (${license})`, ...(compiled ? [compiled] : []), licenseText(folder)].join('\n\n');
}

/** @throws Error when the package has none, so that nothing is shipped without its license. */
function licenseText(folder: string): string {
  const files = readdirSync(folder).filter((name) => /^(licen[sc]e|copying|notice)/i.test(name));
  const texts = files.sort().map((name) => readFileSync(join(folder, name), 'utf8').trim());
  const text = texts.join('\n\n') || licenseSection(folder);
  if (!text) throw new Error(`${folder} has no license file`);
  return `${text.replaceAll('\r\n', '\n')}\n`;
}

/** Some packages have their license in the readme. */
function licenseSection(folder: string): string | undefined {
  const readme = readdirSync(folder).find((name) => /^readme(\.md)?$/i.test(name));
  if (!readme) return undefined;
  return /^#+\s*licen[sc]e\s*\n+([\s\S]+?)(?=\n#|(?![\s\S]))/im.exec(readFileSync(join(folder, readme), 'utf8'))?.[1];
}
