import { formatFieldPath } from '../../kernel/field-path.ts';
import { isObject } from '../../kernel/json.ts';
import { diffRecords } from '../differ.ts';
import { createMatcher } from '../file/identity.ts';
import type { ReadFile } from '../file/read-files.ts';
import { environmentsOf, type SettingsContent } from '../file/read-settings.ts';
import {
  type Field,
  fieldOf,
  formatPlace,
  type ListTree,
  type MapTree,
  type Place,
  type SourceText,
  toValue,
  treeAt,
} from '../file/tree.ts';
import { escapeTexts, rewriteTemplate } from '../file/variables.ts';
import type { ConfigName } from '../kinds.ts';
import type { LiveRecord } from '../live-records.ts';
import { DocumentEditor, UnsupportedEdit } from './document-editor.ts';
import type { PulledList, PulledRecord } from './pulled-records.ts';
import { verifyEdit } from './verify-edit.ts';

export interface SettingsPull {
  readonly content: SettingsContent;
  readonly environment: string | undefined;
  readonly configs: ReadonlyMap<ConfigName, PulledRecord>;
  readonly records: ReadonlyMap<PulledList, readonly PulledRecord[]>;
  /** Whether a declared record that does not exist was looked for. */
  readonly wasRead: (kind: PulledList, record: LiveRecord) => boolean;
  readonly signal: AbortSignal;
}

export interface SettingsEdit {
  readonly texts: ReadonlyMap<ReadFile, string>;
  readonly changed: number;
  readonly added: number;
  readonly removed: number;
  /** Differences that remain, with their positions. */
  readonly notes: readonly string[];
  readonly affected: readonly string[];
}

type Path = readonly (string | number)[];

interface Located {
  readonly path: Path;
  readonly place: Place;
}

/**
 * Edits settings files so that they declare the live values. Changes only values that are declared,
 * adds live records, and removes records that do not exist. With an environment, live records are
 * added to its overlay, but declared values change where they are declared, also for other
 * environments. Rejects with the signal's reason if the signal is aborted.
 * @throws SvcError `invalid_input` if the edited text would not have exactly these values
 */
export async function editSettings(pull: SettingsPull): Promise<SettingsEdit> {
  const edit = new SettingsEditor(pull);
  edit.pullConfigs();
  for (const [kind, records] of pull.records) edit.pullRecords(kind, records);
  return edit.finish();
}

class SettingsEditor {
  readonly #pull: SettingsPull;
  readonly #editors = new Map<SourceText, DocumentEditor>();
  readonly #expected: Record<string, unknown>;
  readonly #additions: Record<string, unknown> = {};
  /** Whether other environments use the values outside of overlays, too. */
  readonly #isShared: boolean;
  #changedShared = false;
  readonly #notes: string[] = [];
  readonly #counts = { changed: 0, added: 0, removed: 0 };

  constructor(pull: SettingsPull) {
    this.#pull = pull;
    const { tree } = pull.content;
    this.#expected = toValue(tree) as Record<string, unknown>;
    this.#isShared = pull.environment !== undefined && environmentsOf(tree).length > 1;
  }

  pullConfigs(): void {
    const { configs, content } = this.#pull;
    const declared = fieldOf(content.tree, 'config')?.tree;
    for (const [name, { fields, added }] of configs) {
      const tree = fieldOf(declared, name)?.tree;
      if (tree?.kind === 'map') this.#pullFields(tree, fields, ['config', name]);
      else if (declared === undefined) setAt(this.#additions, ['config', name], added);
    }
  }

  pullRecords(kind: PulledList, records: readonly PulledRecord[]): void {
    const declared = fieldOf(this.#pull.content.tree, kind)?.tree;
    const items = declared?.kind === 'list' ? declared.items : [];
    const find = createMatcher(kind, records, ({ fields }) => fields);
    const unmatched = new Set(records);
    const removed = new Set<number>();
    for (const [index, item] of items.entries()) {
      const value = toValue(item) as LiveRecord;
      const live = find(value);
      if (live) unmatched.delete(live);
      if (live && item.kind === 'map') this.#pullFields(item, live.fields, [kind, index]);
      if (
        !live &&
        this.#pull.wasRead(kind, value) &&
        this.#removeRecord({ place: item.place, path: [kind, index] })
      )
        removed.add(index);
    }
    if (declared)
      this.#expected[kind] = listOf(this.#expected[kind]).filter((_, index) => !removed.has(index));
    if (unmatched.size > 0) this.#additions[kind] = [...unmatched].map((record) => record.added);
  }

  async finish(): Promise<SettingsEdit> {
    const { content, environment, signal } = this.#pull;
    const target =
      environment === undefined
        ? content.tree
        : treeAt(content.tree, ['environments', environment]);
    if (target?.kind === 'map') this.#addTo(target, this.#additions);
    const texts = new Map(
      [...this.#editors].map(([{ name }, editor]) => [name, editor.format()] as const),
    );
    const mayAffectOthers = this.#changedShared;
    const verified = await verifyEdit({
      content,
      environment,
      texts,
      expected: this.#expected,
      mayAffectOthers,
      signal,
    });
    return { ...verified, ...this.#counts, notes: this.#notes };
  }

  #removeRecord(located: Located): boolean {
    if (this.#isInherited(located.place))
      return this.#note(located, 'not removed, because other environments use it');
    if (!this.#try(located, (editor) => editor.remove(located.place.node))) return false;
    this.#counts.removed += 1;
    return true;
  }

  /** @param isNested whether every field can be read, so that a missing one is unset */
  #pullFields(tree: MapTree, live: LiveRecord, path: Path, isNested = path[0] === 'agents'): void {
    for (const [name, field] of tree.fields) {
      if (!isNested && !Object.hasOwn(live, name)) continue;
      const [value, wanted] = [
        toValue(field.tree),
        Object.hasOwn(live, name) ? live[name] : undefined,
      ];
      const at = [...path, name];
      if (isObject(value) && (isReference(value) || isObject(wanted) || wanted === undefined)) {
        if (field.tree.kind === 'map' && !isReference(value))
          this.#pullFields(field.tree, isObject(wanted) ? wanted : {}, at, true);
      } else if (
        diffRecords({ [name]: value }, { [name]: wanted }, { fieldsOf: 'both' }).length > 0
      )
        this.#change(field, at, value === true ? (wanted ?? false) : wanted);
    }
  }

  #change(field: Field, path: Path, value: unknown): void {
    const { key, tree } = field;
    const located = { path, place: tree.place };
    if (value === undefined && this.#isInherited(key)) {
      this.#note(located, 'not removed, because other environments use it');
    } else if (this.#try(located, (editor) => this.#write(editor, field, path, value))) {
      setAt(this.#expected, path, value);
      this.#counts.changed += 1;
    }
  }

  #write(editor: DocumentEditor, { key, tree }: Field, path: Path, value: unknown): void {
    if (!this.#isAt(key, path)) throw new UnsupportedEdit('it is declared through an alias');
    if (value === undefined) editor.remove(key.node);
    else if (tree.place.node === key.node) throw new UnsupportedEdit('it has no value');
    else if (tree.kind === 'list' && Array.isArray(value) && 'items' in tree.place.node)
      editList(editor, tree, value);
    else if (tree.kind === 'scalar' && tree.template !== undefined && typeof value === 'string')
      editor.replace(tree.place.node, this.#rewrite(tree.template, value));
    else editor.replace(tree.place.node, escapeTexts(value));
  }

  #rewrite(template: string, text: string): string {
    const variables = fieldOf(this.#pull.content.tree, 'vars')?.tree;
    const rewritten = rewriteTemplate(template, text, variables ? Object(toValue(variables)) : {});
    if (rewritten === undefined) throw new UnsupportedEdit('it uses variables');
    return rewritten;
  }

  #addTo({ place, fields }: MapTree, values: LiveRecord): void {
    for (const [name, value] of Object.entries(values)) {
      const tree = fields.get(name)?.tree;
      const list = tree?.kind === 'list' ? tree.place : undefined;
      const located = { path: [name], place: list ?? place };
      const isAdded = this.#try(located, (editor) => {
        if (!list) editor.add(place.node, escapeTexts(value), name);
        else for (const record of listOf(value)) editor.add(list.node, escapeTexts(record));
      });
      if (!isAdded) continue;
      this.#expected[name] = Array.isArray(value)
        ? [...listOf(this.#expected[name]), ...value]
        : value;
      this.#counts.added += Object.keys(Object(value)).length;
    }
  }

  #editorOf({ source }: Place): DocumentEditor {
    const editor = this.#editors.get(source) ?? new DocumentEditor(source);
    this.#editors.set(source, editor);
    return editor;
  }

  /**
   * Whether a value is outside of the environment's overlay, and other environments use it, too.
   */
  #isInherited(place: Place): boolean {
    return this.#isShared && this.#editorOf(place).namesOf(place.node)[0] !== 'environments';
  }

  /**
   * Whether a node is written where its path says, in the file or in an overlay, and not behind an
   * alias.
   */
  #isAt(place: Place, path: Path): boolean {
    const written = this.#editorOf(place).namesOf(place.node);
    const own = written[0] === 'environments' ? written.slice(2) : written;
    return (
      own.length === path.length && own.every((name, at) => name === undefined || name === path[at])
    );
  }

  #try(located: Located, change: (editor: DocumentEditor) => void): boolean {
    try {
      change(this.#editorOf(located.place));
      this.#changedShared ||= this.#isInherited(located.place);
      return true;
    } catch (error) {
      if (!(error instanceof UnsupportedEdit)) throw error;
      return this.#note(located, `not changed, because ${error.message}`);
    }
  }

  #note({ place, path }: Located, problem: string): false {
    this.#notes.push(`${formatPlace(place)}: ${formatFieldPath(path)}: ${problem}`);
    return false;
  }
}

function editList(editor: DocumentEditor, list: ListTree, wanted: readonly unknown[]): void {
  const values = list.items.map(toValue);
  for (const [index, item] of list.items.entries())
    if (!wanted.includes(values[index])) editor.remove(item.place.node);
  for (const value of wanted)
    if (!values.includes(value)) editor.add(list.place.node, escapeTexts(value));
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
