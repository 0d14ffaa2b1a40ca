import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BundledPackage } from './bundled.ts';

const HEAD = `svc contains code from the packages below, under their own licenses.
`;

/** Notices for code compiled into a package, which the package's license file does not mention. */
const COMPILED_NOTICES: ReadonlyMap<string, string> = new Map([
  [
    'jq-wasm',
    `Contains compiled code of jq 1.8.2 (MIT, Copyright (C) 2012 Stephen Dolan and others, https://github.com/jqlang/jq),
with decNumber (ICU License, Copyright (c) 1995-2005 International Business Machines Corporation and others),
and Oniguruma (BSD-2-Clause, Copyright (c) 2002-2021 K.Kosako).`,
  ],
]);

/** Packages without a text of their license, with another one of the same repository and author. */
const SAME_LICENSES: ReadonlyMap<string, string> = new Map([
  ['proxy-agent-negotiate', 'https-proxy-agent'],
]);

/** The licenses of packages that contain no text of their license. */
const MISSING_LICENSES: ReadonlyMap<string, string> = new Map([
  [
    'saxes',
    `The ISC License

Copyright (c) Contributors
Copyright (c) Isaac Z. Schlueter and Contributors

Permission to use, copy, modify, and/or distribute this software for any
purpose with or without fee is hereby granted, provided that the above
copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES
WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF
MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR
ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES
WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN
ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR
IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
  ],
]);

const COPYRIGHT = /^\s*copyright (?:\(c\)|©|\d).*$/gim;

/**
 * Creates the notices that the licenses of bundled packages require: each license text once, after
 * the packages that it applies to and their copyright lines.
 */
export function createNotices(packages: readonly BundledPackage[]): string {
  const licenses = packages.map((each) => {
    const text = createText(each);
    return { title: titleOf(each), terms: termsOf(text), copyright: text.match(COPYRIGHT) ?? [] };
  });
  const byTerms = Map.groupBy(licenses, ({ terms }) => withoutSpace(terms));
  const notices = [...byTerms.values()].map((own) => {
    const copyright = new Set(own.flatMap((each) => each.copyright.map((line) => line.trim())));
    const terms = own.slice(0, 1).map((each) => each.terms);
    const parts = [own.map(({ title }) => title), [...copyright], terms];
    const shown = parts.filter((part) => part.length > 0).map((part) => part.join('\n'));
    return `${shown.join('\n\n')}\n`;
  });
  return [HEAD, ...notices].join(`\n${'-'.repeat(80)}\n\n`);
}

/** Returns the text of a license without its copyright lines. */
function termsOf(text: string): string {
  return text
    .replaceAll(COPYRIGHT, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

const titleOf = ({ name, version, license }: BundledPackage) => `${name} ${version} (${license})`;

function createText({ name, folder }: BundledPackage): string {
  const compiled = COMPILED_NOTICES.get(name);
  return [...(compiled ? [compiled] : []), licenseText(name, folder)].join('\n\n');
}

/**
 * @throws Error if the package has no license text, so that nothing is published without its
 * license.
 */
function licenseText(name: string, folder: string): string {
  const other = SAME_LICENSES.get(name);
  if (other) return licenseText(other, join(folder, '..', other));
  const files = readdirSync(folder).filter((file) => /^(licen[sc]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const text = texts.join('\n\n') || (MISSING_LICENSES.get(name) ?? licenseSection(folder));
  if (!text) throw new Error(`${folder} has no license file`);
  return `${text.replaceAll('\r\n', '\n')}\n`;
}

/** The license section of the readme, for packages without a license file. */
function licenseSection(folder: string): string | undefined {
  const readme = readdirSync(folder).find((name) => /^readme(\.md)?$/i.test(name));
  if (!readme) return undefined;
  return /^#+\s*licen[sc]e\s*\n+([\s\S]+?)(?=\n#|(?![\s\S]))/im.exec(
    readFileSync(join(folder, readme), 'utf8'),
  )?.[1];
}
