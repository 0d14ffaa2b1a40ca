import { isEmailAddress } from '../kernel/email-address.ts';
import { findMojibake } from './source/mojibake.ts';

/** The content of a field, which decides which of its values are suspicious. */
export interface FieldKind {
  readonly isId: boolean;
  readonly isEmail: boolean;
  readonly isName: boolean;
  /** Whether it is an ID in a column of a table. */
  readonly isIdColumn: boolean;
}

/** A reason why a value is probably not what a person typed. */
export interface Suspicion {
  readonly isSuspicious: (text: string, kind: FieldKind) => boolean;
  readonly describe: (text: string) => string;
  readonly plural: string;
  /** Whether a value like this is rejected in every field, and even with `--allow-suspicious`. */
  readonly isAlwaysWrong?: true;
}

const MONTH = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
/** Short names of months in other languages, as sheets show them. */
const OTHER_MONTH = [
  'Mrz|Mär|Mai|Okt|Dez|janv|févr|mars|avr|mai|juin|juil|août|sept|oct|nov|déc|ene|abr|ago|dic',
  'gen|mag|giu|lug|set|ott|fev|out|dez|feb|mar|apr|jan|jun|jul|aug|sep|dec|mrt|mei|okt|maj',
].join('|');
/** Matches `#N/A`, `#REF!`, `#DIV/0!`, `#NAME?`, and their translations. */
const SPREADSHEET_ERROR =
  /^(?:#(?:\p{Lu}\/\p{Lu}!?|NV|YOK|GETTING_DATA|[¡¿]?[\p{Lu}\d/_]+\s?[!?])|Err:\d{3})$/u;
/** Matches a long number as Excel and scripts shorten it: `1.23E+11` or `1.23E11`. */
const SHORTENED_NUMBER = /^[-+]?\d(?:(?:[.,]\d+)?E\+\d{2,3}|[.,]\d+E\d{2,3})$/i;
/** Matches a formula, of which a sheet shows the result: `=HYPERLINK("https://…","u1")`, `=A2&"x"`. */
const FORMULA = /^=(?:[A-Z][\w.]*\(|\$?[A-Z]{1,3}\$?\d+[-+*/&]|"[^"]*"&)/i;
/** Matches dates such as `1-Mar` and `Mar-01`, into which Excel turns `mar1`. */
const SHEET_DATE = new RegExp(`^(?:\\d{1,2}-(?:${MONTH})|(?:${MONTH})-\\d{2})$`);
/** Matches other dates of sheets and scripts, which people type in fields other than IDs. */
const DATE_IN_ID = new RegExp(
  [
    `^\\d{1,2}(?:-|\\. ?|/)(?:${MONTH}|${OTHER_MONTH})\\.?(?:[-./ ]+\\d{2}(?:\\d{2})?)?$`,
    `^(?:${OTHER_MONTH})\\.?[- /]\\d{2}$`,
    '^\\d{1,2}/\\d{1,2}/(?:19|20)?\\d{2}$',
    '^\\d{1,2}\\.\\d{1,2}\\.(?:19|20)\\d{2}$',
    '^\\d{4}-\\d{2}-\\d{2}[T ]00:00:00',
  ].join('|'),
);
/** Matches `----`, as database tools print it under a header, and `####`, as sheets show wide numbers. */
const RULE = /^([-=_#])\1{2,}$/;
/** Matches a text with the apostrophe that Excel hides: `'0123`. */
const MARKED_AS_TEXT = /^['’]/;
/** Matches an ID in the quotes of SQL, a script, or a word processor: `'u1'`, Python's `b'u1'`, `“u1”`. */
const QUOTED = /^(?:b?(['"`]).*\1|[“”„].*[“”]|[‘’‚].*[‘’]|«.*»)$/s;
/** Matches `@ann'`: of `'@ann'`, svc removed the apostrophe that also neutralizes formulas. */
const HALF_QUOTED = /^[=+\-@|%][^']*'$/;
/** Texts that programs write for a value that is missing. */
const PLACEHOLDERS = new Set([
  'undefined',
  'null',
  'NULL',
  '(null)',
  '<null>',
  'nil',
  '<nil>',
  '%!s(<nil>)',
  'N/A',
  'n/a',
  'None',
  'NaN',
  'nan',
  '.nan',
  '.NaN',
  'NaT',
  'Loading...',
  '<NA>',
  '(blank)',
  '\\N',
]);
/** Matches placeholders that are valid outside IDs, such as surnames. */
const PLACEHOLDER_IN_ID = /^(?:null|none|nil|-?infinity|\{\}|\[\])$/i;
/** Matches a boolean, as scripts and sheets in several languages write it. */
const BOOLEAN = /^(?:true|false|wahr|falsch|vrai|faux|истина|ложь)$/i;
/** Matches the last row of a report, and the count of rows that a database tool prints. */
const FOOTER = new RegExp(
  [
    '^(?:(?:grand |sub-?)?totals?|total g[eé]n[eé]ral|summe|gesamt(?:summe|ergebnis)?|somme|totaal|итого|合计|合計|总计|總計)\\s*:?\\s*\\d*$',
    '^\\(?\\d+ (?:rows?|records?|row\\(s\\))(?: (?:affected|selected|returned|in set(?: \\(.*\\))?))?\\.?\\)?$',
    '^page \\d+ of \\d+$',
  ].join('|'),
  'i',
);
/** Characters of other shapes that look like these: dashes and apostrophes that word processors insert. */
const LOOKALIKES: readonly (readonly [RegExp, string])[] = [
  [/[\u2010-\u2015\u2212]/g, '-'],
  [/[\u2018\u2019\u00b4]/g, "'"],
];
/** Matches a letter beside one of another script that looks alike: a Cyrillic `а` in `admin`. */
const MIXED_SCRIPTS =
  /\p{Script=Latin}[\p{Script=Cyrillic}\p{Script=Greek}]|[\p{Script=Cyrillic}\p{Script=Greek}]\p{Script=Latin}/u;
/** Matches dashes, which people type into empty cells. */
const DASHES = /^[-–—]{1,2}$/;
/** Matches a text that a script built from a missing value: `user-undefined`. */
const TEXT_FROM_MISSING_VALUE = /(?:^|[^\p{L}\d])(?:undefined|NaN)$|^undefined[^\p{L}\d]/u;
const ID_FROM_MISSING_VALUE = /[^\p{L}\d](?:null|None)$|^null[^\p{L}\d]/u;
const NAME_FROM_MISSING_VALUE = /^(null|None|nan) \1$| null$|^null /;
/** Matches an object that a script of JavaScript, Python, or Ruby wrote as text. */
const OBJECT_AS_TEXT =
  /\[object \w+\]|^(?:async )?function\b.*\{.*\}$|^#?<.*\b0x[\da-f]+.*>$|^<(?:function|class|bound method) .*>$/s;
const LIST_AS_TEXT = /^(?:\[\s*(?:['"{[].*)?\]|\{\s*['"].*\}|\(.*,\s*\))$/s;
/** Matches a template variable that no script replaced: `{{id}}`, `${id}`, `<%= id %>`, `%s`. */
const TEMPLATE = /\{\{.*\}\}|\$\{.*\}|<%.*%>|^%(?:s|d|\(\w+\)s|\w+%)$/;
const VARIABLE = /^\$[A-Za-z_]\w*$/;
/** Matches a character that HTML or JSON escaped: `&amp;` or `\u00fc`. */
const ESCAPED = /&(?:#\d+|#x[\da-f]+|[a-z]{2,8});|\\u[\da-f]{4}/i;

/** Invisible characters: control and format characters, and all spaces except U+0020. */
const INVISIBLE_IN_ID =
  /[\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2028\u2029\u2800]|[^\S ]/gu;
/**
 * Invisible characters in other fields. Line breaks, tabs, spaces, joiners, and the tags in flag emoji are
 * allowed there.
 */
const INVISIBLE_IN_TEXT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]|\p{Noncharacter_Code_Point}|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u{e0000}-\u{e007f}]/u;
/** Scripts whose words may be separated by U+200B. */
const SCRIPT_WITHOUT_SPACES = /[\p{Script=Khmer}\p{Script=Lao}\p{Script=Myanmar}\p{Script=Thai}]/u;
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u;

const MAX_QUOTED_CHARACTERS = 60;

export const EMPTY: Suspicion = {
  isSuspicious: (text, { isName }) => isName && !VISIBLE.test(text),
  describe: () => 'is empty',
  plural: 'are empty',
};

export const DECIMALS: Suspicion = {
  isSuspicious: () => false,
  describe: (text) => {
    const end = text.replace(/^-?\d+/, '');
    return `${quote(text)} and all other values end in '${end}', which scripts add to numbers`;
  },
  plural: '',
};

export const REPEATED_HEADER: Suspicion = {
  isSuspicious: () => false,
  describe: (text) => `${quote(text)} repeats the header`,
  plural: 'repeat the header',
};

export const FIELD_NAME: Suspicion = {
  isSuspicious: () => false,
  describe: (text) =>
    `${quote(text)} is the name of a field; the table seems to have a column for each record`,
  plural: 'are names of fields',
};

/** In order of precedence: a value has at most one warning. */
const SUSPICIONS: readonly Suspicion[] = [
  {
    isSuspicious: (text) => !text.isWellFormed(),
    describe: () => 'contains half of a surrogate pair',
    plural: 'contain half of a surrogate pair',
    isAlwaysWrong: true,
  },
  {
    isSuspicious: (text) => SPREADSHEET_ERROR.test(text),
    describe: (text) => `${quote(text)} is a spreadsheet formula error`,
    plural: 'are spreadsheet formula errors',
  },
  {
    isSuspicious: (text) => SHORTENED_NUMBER.test(text),
    describe: (text) => `${quote(text)} is a number that Excel shortened; its last digits are lost`,
    plural: 'are numbers that Excel shortened',
  },
  {
    isSuspicious: (text, { isId }) => SHEET_DATE.test(text) || (isId && DATE_IN_ID.test(text)),
    describe: (text) => `${quote(text)} is a date; Excel turns some IDs and numbers into dates`,
    plural: 'are dates; Excel turns some IDs and numbers into dates',
  },
  {
    isSuspicious: (text, { isId }) => isId && FORMULA.test(text),
    describe: (text) => `${quote(text)} is a formula; a spreadsheet shows its result instead`,
    plural: 'are formulas',
  },
  EMPTY,
  {
    isSuspicious: (text, { isIdColumn }) => isIdColumn && FOOTER.test(text),
    describe: (text) => `${quote(text)} is the footer of a report, not a record`,
    plural: 'are footers of a report',
  },
  {
    isSuspicious: (text, { isId, isName }) =>
      PLACEHOLDERS.has(text) ||
      ((isId || isName) && (DASHES.test(text) || TEXT_FROM_MISSING_VALUE.test(text))) ||
      (isId && (PLACEHOLDER_IN_ID.test(text) || ID_FROM_MISSING_VALUE.test(text))) ||
      (isName && NAME_FROM_MISSING_VALUE.test(text)),
    describe: (text) => `${quote(text)} stands for a missing value`,
    plural: 'stand for a missing value',
  },
  {
    isSuspicious: (text, { isId }) => isId && BOOLEAN.test(text),
    describe: (text) => `${quote(text)} is a boolean`,
    plural: 'are booleans',
  },
  {
    isSuspicious: (text, { isId }) =>
      OBJECT_AS_TEXT.test(text) || (isId && LIST_AS_TEXT.test(text)),
    describe: (text) => `${quote(text)} is an object that a script wrote as text`,
    plural: 'are objects that a script wrote as text',
  },
  {
    isSuspicious: (text, { isId, isName, isEmail }) =>
      ((isId || isName || isEmail) && TEMPLATE.test(text)) || (isId && VARIABLE.test(text)),
    describe: (text) => `${quote(text)} contains a variable that a script did not replace`,
    plural: 'contain a variable that a script did not replace',
  },
  {
    isSuspicious: (text) => RULE.test(text),
    describe: (text) =>
      `${quote(text)} is a separator line, or a number that was too wide for its column`,
    plural: 'are separator lines, or numbers that were too wide for their column',
  },
  {
    isSuspicious: (text) => findMojibake(text) !== undefined,
    describe: (text) =>
      `${quote(text)} was decoded wrongly; it is probably ${quote(findMojibake(text) ?? text)}`,
    plural: 'were decoded wrongly',
  },
  {
    isSuspicious: (text, { isId }) =>
      isId
        ? text.search(INVISIBLE_IN_ID) !== -1
        : INVISIBLE_IN_TEXT.test(text) ||
          (text.includes('\u200b') && !SCRIPT_WITHOUT_SPACES.test(text)),
    describe: (text) => `${showInvisible(text)} contains an invisible character`,
    plural: 'contain invisible characters',
  },
  {
    isSuspicious: (text) => text.trim() !== text && !/[\r\n]/.test(text),
    describe: (text) => `${quote(text)} begins or ends with a space`,
    plural: 'begin or end with a space',
  },
  {
    isSuspicious: (text, { isId }) => isId && QUOTED.test(text),
    describe: (text) => `${quote(text)} is enclosed in quotes`,
    plural: 'are enclosed in quotes',
  },
  {
    isSuspicious: (text) => HALF_QUOTED.test(text),
    describe: (text) => `${quote(text)} was probably enclosed in single quotes`,
    plural: 'were probably enclosed in single quotes',
  },
  {
    isSuspicious: (text, { isId }) => isId && MARKED_AS_TEXT.test(text),
    describe: (text) => `${quote(text)} begins with the apostrophe that marks text in Excel`,
    plural: 'begin with the apostrophe that marks text in Excel',
  },
  {
    isSuspicious: (text, { isId }) => isId && MIXED_SCRIPTS.test(text),
    describe: (text) => `${quote(text)} mixes letters of two alphabets that look alike`,
    plural: 'mix letters of two alphabets that look alike',
  },
  {
    isSuspicious: (text, { isId }) => isId && withoutLookalikes(text) !== text,
    describe: (text) =>
      `${quote(text)} contains special forms of characters; it is probably ${quote(withoutLookalikes(text))}`,
    plural: 'contain special forms of characters',
  },
  {
    isSuspicious: (text) => text.includes('\ufffd'),
    describe: (text) => `${quote(text)} contains U+FFFD, which marks a lost character`,
    plural: 'contain U+FFFD, which marks a lost character',
  },
  {
    isSuspicious: (text, { isId, isName }) => (isId || isName) && /^[? ]*\?\?[? ]*$/.test(text),
    describe: (text) => `${quote(text)} consists of question marks, which replace lost characters`,
    plural: 'consist of question marks, which replace lost characters',
  },
  {
    isSuspicious: (text, { isId, isName, isEmail }) =>
      (isId || isName || isEmail) && ESCAPED.test(text),
    describe: (text) => `${quote(text)} contains a character that a script escaped`,
    plural: 'contain characters that a script escaped',
  },
  {
    isSuspicious: (text, { isEmail }) => isEmail && !isEmailAddress(text),
    describe: (text) => `${quote(text)} is not a valid email address`,
    plural: 'are not valid email addresses',
  },
];

/** Replaces decomposed letters, full-width characters, ligatures, and typographic dashes and quotes. */
function withoutLookalikes(text: string): string {
  const plain = LOOKALIKES.reduce(
    (changed, [pattern, replacement]) => changed.replace(pattern, replacement),
    text,
  );
  return plain.normalize('NFKC');
}

/** Finds the reason why a value is suspicious. */
export function findSuspicion(text: string, kind: FieldKind): Suspicion | undefined {
  return SUSPICIONS.find((one) => one.isSuspicious(text, kind));
}

/** Matches characters that hardly any value contains, except suspicious ones. */
const OTHER_THAN_ORDINARY = /[^ !"#'-;=?-Z^-z|~]/;
/**
 * Matches such characters outside IDs, where letters of Latin, Cyrillic, Japanese, Chinese, and Korean are
 * ordinary, except those with which wrongly decoded texts begin.
 */
const OTHER_THAN_ORDINARY_OR_LETTER =
  /[^ !"#'-;=?-Z^-z|~À-ÏÑ-ÓÕÖØ-ïñ-öø-őАБЖ-ПТ-яёぁ-ゖァ-ヺー一-龥가-힣]/;
/** Matches most email addresses, and no other text. */
const ORDINARY_EMAIL = /^[A-Za-z][\w.+-]*@[A-Za-z\d-]+(?:\.[A-Za-z\d-]+)+$/;
const MAX_PLACEHOLDER = 9;

/**
 * Whether a value is certainly not suspicious. A quick check before `findSuspicion`: most values begin and
 * end with a letter or a digit, and consist of ordinary characters.
 * @param isOrdinary whether the value is known to consist of ordinary characters
 */
export function isUnsuspicious(
  text: string,
  { isEmail, isId, isIdColumn }: FieldKind,
  isOrdinary: boolean,
): boolean {
  if (isEmail) return ORDINARY_EMAIL.test(text);
  const { length } = text;
  const first = text.charCodeAt(0);
  const last = text.charCodeAt(length - 1);
  if (!mayBeAlphanumeric(first) || !mayBeAlphanumeric(last)) return false;
  // A regular expression is faster than a loop.
  const other = isId ? OTHER_THAN_ORDINARY : OTHER_THAN_ORDINARY_OR_LETTER;
  if (!isOrdinary && other.test(text)) return false;
  if (length < 3) return true;
  if (hasSuspiciousWord(text, first, last)) return false;
  // Footers have spaces.
  if (isIdColumn && text.includes(' ')) return false;
  // Dates and shortened numbers have a separator after the first digits, or before the last ones.
  if (first <= NINE)
    return (
      mayBeAlphanumeric(text.charCodeAt(1)) &&
      mayBeAlphanumeric(text.charCodeAt(2)) &&
      text[4] !== '-'
    );
  if (length > MAX_PLACEHOLDER) return true;
  if (!mayBeAlphanumeric(text.charCodeAt(length - 3)) || text[3] === ':') return false;
  if (isIdColumn && FOOTER.test(text)) return false;
  return !PLACEHOLDERS.has(text) && !PLACEHOLDER_IN_ID.test(text) && !BOOLEAN.test(text);
}

const NINE = 0x39;

/** Returns true beyond ASCII, because ordinary characters there are letters. */
function mayBeAlphanumeric(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= NINE) || code > 0x7f;
}

/** Words of suspicious texts, by the code of the last or first character of such a text. */
const ENDINGS = tableByCode(['undefined', 'None', 'null', 'NaN', 'nan'], (word) =>
  word.charCodeAt(word.length - 1),
);
const BEGINNINGS = tableByCode(['undefined', 'null', 'Gesamt', 'gesamt'], (word) =>
  word.charCodeAt(0),
);

function tableByCode(words: readonly string[], codeOf: (word: string) => number) {
  return Array.from({ length: 0x80 }, (_, code) => words.find((word) => codeOf(word) === code));
}

/** Whether a text of ordinary characters may be built from a missing value, or be a footer. */
function hasSuspiciousWord(text: string, first: number, last: number): boolean {
  const ending = ENDINGS[last];
  if (ending !== undefined && text.endsWith(ending)) return true;
  const beginning = BEGINNINGS[first];
  return beginning !== undefined && text.startsWith(beginning);
}

function quote(text: string): string {
  if (text.length <= MAX_QUOTED_CHARACTERS) return `'${text}'`;
  return `'${text.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}...'`;
}

/** Quotes a text with its invisible characters as escapes. */
function showInvisible(text: string): string {
  return quote(text).replace(INVISIBLE_IN_ID, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `<U+${code}>`;
  });
}
