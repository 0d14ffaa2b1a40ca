import { formatFieldPath, valueAt } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/is-object.ts';
import { diffRecords } from '../differ.ts';
import type { ConfigName } from '../kinds.ts';
import type { PulledFields, PulledKind, PulledRecord } from '../live/pulled-records.ts';
import { VariableUses } from './edit-variables.ts';
import { identitiesOf } from './identity.ts';
import type { ReadFile } from './read-files.ts';
import { environmentsOf, type SettingsContent } from './read-settings.ts';
import { TextEditor, UnsupportedEdit } from './text-editor.ts';
import {
  type Field,
  fieldOf,
  formatPlace,
  type ListTree,
  type MapTree,
  type Place,
  type SourceText,
  type Tree,
  toValue,
  treeAt,
} from './tree.ts';
import { escapeVariables } from './variables.ts';
import { verifyEdit } from './verify-edit.ts';

/** Live values to bring into a settings file. */
export interface SettingsPull {
  readonly content: SettingsContent;
  readonly environment: string | undefined;
  readonly configs: ReadonlyMap<ConfigName, PulledRecord>;
  /** The live records of each kind that was read. */
  readonly records: ReadonlyMap<PulledKind, readonly PulledRecord[]>;
  /** Whether a declared record that does not exist was looked for. */
  readonly wasRead: (kind: PulledKind, record: PulledFields) => boolean;
}

/** The edited texts of settings files, and the number of changed values and records. */
export interface SettingsEdit {
  readonly texts: ReadonlyMap<ReadFile, string>;
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  /** Differences that remain, with their positions. */
  readonly notes: readonly string[];
}

type Path = readonly (string | number)[];

/** The value that a variable needs for a text to change. */
interface Proposal {
  readonly variable: string;
  readonly value: string;
  readonly path: Path;
  readonly place: Place;
  /** Sets the expected text. */
  readonly expect: () => void;
}

/**
 * Edits settings files so that they declare the live values. Changes only values that are declared, adds live records, and
 * removes records that do not exist. A value that other environments use, too, is overridden for the given environment.
 * @throws SvcError `bad_data` if the edited text would not have exactly these values
 */
export function editSettings(pull: SettingsPull): SettingsEdit {
  const edit = new SettingsEditor(pull);
  edit.pullConfigs();
  for (const [kind, records] of pull.records) edit.pullRecords(kind, records);
  return edit.finish();
}

class SettingsEditor {
  readonly #pull: SettingsPull;
  readonly #editors = new Map<SourceText, TextEditor>();
  readonly #variables: VariableUses;
  /** The values that the edited file must have. */
  readonly #expected: Record<string, unknown>;
  /** The values to add to the file, or to the overlay of the environment. */
  readonly #additions: Record<string, unknown> = {};
  /** Whether other environments use the values outside of overlays, too. */
  readonly #isShared: boolean;
  /** Changes of texts that only another value of their variable can express. */
  readonly #proposals: Proposal[] = [];
  /** The records of the additions that override fields of a declared record. */
  readonly #overrides = new Map<string, object>();
  readonly #notes: string[] = [];
  readonly #counts = { changed: 0, added: 0, removed: 0 };

  constructor(pull: SettingsPull) {
    this.#pull = pull;
    const { tree, source } = pull.content;
    this.#variables = new VariableUses(tree);
    this.#expected = toValue(tree) as Record<string, unknown>;
    this.#isShared = pull.environment !== undefined && environmentsOf(source).length > 1;
  }

  pullConfigs(): void {
    const { configs, content } = this.#pull;
    const declared = fieldOf(content.tree, 'config')?.tree;
    for (const [name, { fields, added }] of configs) {
      const tree = fieldOf(declared, name)?.tree;
      if (tree?.kind === 'map') this.#pullFields(tree, fields, ['config', name]);
      else if (declared === undefined) {
        setAt(this.#additions, ['config', name], added);
        setAt(this.#expected, ['config', name], added);
        this.#counts.added += 1;
      }
    }
  }

  pullRecords(kind: PulledKind, records: readonly PulledRecord[]): void {
    const declared = fieldOf(this.#pull.content.tree, kind)?.tree;
    const items = declared?.kind === 'list' ? declared.items : [];
    const find = matcherOf(kind, records);
    const unmatched = new Set(records);
    const removed = new Set<number>();
    for (const [index, item] of items.entries()) {
      const value = toValue(item) as PulledFields;
      const live = find(value);
      if (live) unmatched.delete(live);
      if (live && item.kind === 'map') this.#pullFields(item, live.fields, [kind, index]);
      if (!live && this.#pull.wasRead(kind, value) && this.#removeRecord(item, [kind, index])) removed.add(index);
    }
    const kept = listOf(this.#expected[kind]).filter((_, index) => !removed.has(index));
    const added = [...unmatched].map((record) => record.added);
    if (added.length > 0) this.#additions[kind] = [...listOf(this.#additions[kind]), ...added];
    if (added.length > 0 || declared) this.#expected[kind] = [...kept, ...added];
    this.#counts.added += added.length;
  }

  finish(): SettingsEdit {
    const { content, environment } = this.#pull;
    for (const [variable, proposals] of Map.groupBy(this.#proposals, (proposal) => proposal.variable))
      this.#changeVariable(variable, proposals);
    const target = environment === undefined ? content.source : treeAt(content.source, ['environments', environment]);
    if (target?.kind === 'map') this.#addTo(target, this.#additions);
    const texts = new Map([...this.#editors].map(([source, editor]) => [source.name, editor.apply()] as const));
    const verified = verifyEdit({ content, environment, texts, expected: this.#expected });
    return { texts: verified, ...this.#counts, notes: this.#notes };
  }

  #removeRecord({ place }: Tree, path: Path): boolean {
    if (this.#isInherited(place)) return this.#note(place, path, 'does not exist, but other environments use it, too');
    if (!this.#try(place, path, (editor) => editor.remove(place.node))) return false;
    this.#counts.removed += 1;
    return true;
  }

  /** @param isNested whether every field can be read, so that a missing one is unset */
  #pullFields(tree: MapTree, live: PulledFields, path: Path, isNested = path[0] === 'agents'): void {
    for (const [name, field] of tree.fields) {
      if (!isNested && !Object.hasOwn(live, name)) continue;
      const [value, wanted] = [toValue(field.tree), Object.hasOwn(live, name) ? live[name] : undefined];
      const at = [...path, name];
      if (isObject(value) && (isReference(value) || isObject(wanted) || wanted === undefined)) {
        if (field.tree.kind === 'map' && !isReference(value))
          this.#pullFields(field.tree, isObject(wanted) ? wanted : {}, at, true);
      } else if (diffRecords({ [name]: value }, { [name]: wanted }, { onlyDeclared: false }).length > 0)
        this.#change(tree, field, at, value === true ? (wanted ?? false) : wanted);
    }
  }

  /** Changes a declared value; removes it if `value` is undefined. */
  #change(parent: MapTree, field: Field, path: Path, value: unknown): void {
    const { key, tree } = field;
    if (this.#isInherited(key)) {
      if (value === undefined) this.#note(tree.place, path, 'is not set, but other environments use it, too');
      else this.#override(path, value);
    } else if (tree.kind === 'scalar' && tree.template !== undefined && typeof value === 'string')
      this.#changeTemplate(tree.template, tree.place, path, value);
    else if (this.#try(tree.place, path, () => this.#write(parent, field, path, value))) this.#expect(path, value);
  }

  #write(parent: MapTree, { key, tree }: Field, path: Path, value: unknown): void {
    const [name, editor] = [String(path.at(-1)), this.#editorOf(key)];
    if (!this.#isAt(key, path)) {
      // The field comes from an alias or a merge key. A field of the record itself takes precedence over a merged one.
      if (value === undefined || !this.#isAt(parent.place, path.slice(0, -1)))
        throw new UnsupportedEdit('it is an alias');
      this.#editorOf(parent.place).add(parent.place.node, escapeTexts(value), name);
    } else if (value === undefined) editor.remove(key.node);
    else if (tree.place.node === key.node) throw new UnsupportedEdit('it has no value');
    else if (tree.kind === 'list' && Array.isArray(value) && 'items' in tree.place.node) editList(editor, tree, value);
    else editor.replace(tree.place.node, escapeTexts(value));
  }

  #changeTemplate(template: string, place: Place, path: Path, text: string): void {
    const rewritten = this.#variables.rewrite(template, text);
    const solution = rewritten === undefined ? this.#variables.solve(template, text) : undefined;
    const holder = valueAt(this.#expected, path.slice(0, -1)) as object;
    if (solution) this.#proposals.push({ path, place, ...solution, expect: () => setAt(holder, path.slice(-1), text) });
    else if (rewritten === undefined) this.#note(place, path, 'uses variables');
    else if (this.#try(place, path, (editor) => editor.replace(place.node, rewritten))) this.#expect(path, text);
  }

  /** Changes a variable if all texts that use it need the same value. */
  #changeVariable(variable: string, proposals: readonly Proposal[]): void {
    const [first] = proposals;
    const isCommon =
      proposals.length === this.#variables.countOf(variable) && proposals.every(({ value }) => value === first?.value);
    const field = fieldOf(fieldOf(this.#pull.content.tree, 'vars')?.tree, variable);
    if (!first || !field || !isCommon) {
      for (const { path, place } of proposals) this.#note(place, path, `uses \${${variable}}, as other values do`);
      return;
    }
    const escaped = escapeVariables(first.value);
    const change = () => {
      if (this.#isInherited(field.key)) setAt(this.#additions, ['vars', variable], first.value);
      else this.#editorOf(field.key).replace(field.tree.place.node, escaped);
    };
    if (!this.#try(field.key, ['vars', variable], change)) return;
    for (const { expect } of proposals) expect();
    this.#counts.changed += proposals.length;
  }

  /** Sets a value for the environment only. */
  #override(path: Path, value: unknown): void {
    const [kind = '', index, ...inner] = path;
    if (kind === 'config') setAt(this.#additions, path, value);
    else {
      const key = `${kind}/${index}`;
      const own = this.#overrides.get(key) ?? this.#identify(String(kind), Number(index));
      if (!this.#overrides.has(key)) this.#additions[kind] = [...listOf(this.#additions[kind]), own];
      this.#overrides.set(key, own);
      setAt(own, inner, value);
    }
    this.#expect(path, value);
  }

  /** Returns the fields that identify a declared record. */
  #identify(kind: string, index: number): object {
    const record = valueAt(this.#pull.content.fields, [kind, index]) as PulledFields;
    const names = (identitiesOf(kind) ?? []).find((fields) => fields.every((name) => record[name] !== undefined));
    return Object.fromEntries((names ?? []).map((name) => [name, record[name]]));
  }

  /** Adds values to a map: fields that it has are changed, and records that it has get more fields. */
  #addTo(target: MapTree, values: PulledFields): void {
    const editor = this.#editorOf(target.place);
    for (const [name, value] of Object.entries(values)) {
      const tree = fieldOf(target, name)?.tree;
      if (!tree) editor.add(target.place.node, escapeTexts(value), name);
      else if (tree.kind === 'map' && isObject(value)) this.#addTo(tree, value);
      else if (tree.kind === 'list' && Array.isArray(value) && identitiesOf(name)) this.#addRecords(tree, value, name);
      else if (JSON.stringify(toValue(tree)) !== JSON.stringify(value))
        editor.replace(tree.place.node, escapeTexts(value));
    }
  }

  #addRecords(list: ListTree, records: readonly unknown[], name: string): void {
    const own = list.items.map((item) => ({ item, fields: toValue(item) as PulledFields }));
    const find = matcherOf(name, own);
    for (const record of records) {
      const match = find(record as PulledFields)?.item;
      if (match?.kind === 'map') this.#addTo(match, record as PulledFields);
      else this.#editorOf(list.place).add(list.place.node, escapeTexts(record));
    }
  }

  #editorOf({ source }: Place): TextEditor {
    const editor = this.#editors.get(source) ?? new TextEditor(source);
    this.#editors.set(source, editor);
    return editor;
  }

  /** Whether a value is outside of the environment's overlay, and other environments use it, too. */
  #isInherited(place: Place): boolean {
    return this.#isShared && this.#editorOf(place).pathOf(place.node)[0] !== 'environments';
  }

  /** Whether a node is written where its path says, in the file or in an overlay, and not behind an alias. */
  #isAt(place: Place, path: Path): boolean {
    const written = this.#editorOf(place).pathOf(place.node);
    const own = written[0] === 'environments' ? written.slice(2) : written;
    return own.length === path.length && own.every((key, at) => typeof key === 'number' || key === path[at]);
  }

  #try(place: Place, path: Path, change: (editor: TextEditor) => void): boolean {
    try {
      change(this.#editorOf(place));
      return true;
    } catch (error) {
      if (!(error instanceof UnsupportedEdit)) throw error;
      return this.#note(place, path, `cannot be edited: ${error.message}`);
    }
  }

  #expect(path: Path, value: unknown): void {
    setAt(this.#expected, path, value);
    this.#counts.changed += 1;
  }

  #note(place: Place, path: Path, problem: string): false {
    this.#notes.push(`${formatPlace(place)}: ${formatFieldPath(path)} differs, but ${problem}`);
    return false;
  }
}

/** Creates a function that finds the entry with the identity of a record. */
function matcherOf<Entry extends { readonly fields: PulledFields }>(kind: string, entries: Iterable<Entry>) {
  const indexes = (identitiesOf(kind) ?? []).map((names) => {
    const identityOf = (record: PulledFields) => JSON.stringify(names.map((name) => record[name] ?? null));
    return { names, identityOf, entries: new Map(Array.from(entries, (entry) => [identityOf(entry.fields), entry])) };
  });
  return (record: PulledFields): Entry | undefined => {
    const usable = indexes.filter(({ names }) => names.every((name) => (record[name] ?? undefined) !== undefined));
    return usable
      .map(({ identityOf, entries: known }) => known.get(identityOf(record)))
      .find((entry) => entry !== undefined);
  };
}

/** Adds the missing items to a list without an order, and removes the others. */
function editList(editor: TextEditor, list: ListTree, wanted: readonly unknown[]): void {
  const values = list.items.map(toValue);
  for (const [index, item] of list.items.entries()) if (!wanted.includes(values[index])) editor.remove(item.place.node);
  for (const value of wanted) if (!values.includes(value)) editor.add(list.place.node, escapeTexts(value));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isReference(value: object): boolean {
  const [name, ...others] = Object.keys(value);
  return others.length === 0 && (name === 'env' || name === 'file');
}

/** Sets a value at a path, or removes it if it is undefined. */
function setAt(target: object, [head = '', ...rest]: Path, value: unknown): void {
  if (rest.length === 0) {
    if (value === undefined) Reflect.deleteProperty(target, head);
    else Reflect.set(target, head, value);
    return;
  }
  if (!Object.hasOwn(target, head)) Reflect.set(target, head, {});
  setAt(Reflect.get(target, head), rest, value);
}

function escapeTexts(value: unknown): unknown {
  if (typeof value === 'string') return escapeVariables(value);
  if (Array.isArray(value)) return value.map(escapeTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, escapeTexts(inner)]));
}
