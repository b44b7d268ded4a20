import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';

/** A fault in a file, for the person who corrects it. */
export interface Fault {
  readonly line: number;
  /** A JSON pointer, such as `/points/weight/at`. */
  readonly path: string;
  readonly message: string;
}

export interface YamlDocument {
  readonly value: unknown;
  /** Returns the line of the part that a JSON pointer names, or of the nearest part around it. */
  lineOf(path: string): number;
}

/** The limit of a document, which can be read in some milliseconds. */
const CHARACTERS_MAX = 1_000_000;

/** Duplicate keys are found here, because the library compares each key with all others of its map. */
const READING = { uniqueKeys: false, version: '1.2', schema: 'core' } as const;

/** Parses a document. Faults of the text itself are returned alone, because then nothing of it can be used. */
export function readYaml(text: string): YamlDocument | readonly Fault[] {
  if (text.length > CHARACTERS_MAX)
    return [{ line: 1, path: '', message: `is longer than ${CHARACTERS_MAX} characters` }];
  if (isNestedTooDeeply(text)) return [{ line: 1, path: '', message: 'is nested too deeply' }];
  const lines = new LineCounter();
  const document = parseDocument(text, { ...READING, lineCounter: lines });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const problems = [...document.errors, ...document.warnings];
  if (problems.length > 0) {
    return problems.map(({ message, pos }) => ({
      line: lineAt(pos[0]),
      path: '',
      message: (message.split('\n', 1)[0] ?? '').replace(/ at line \d+, column \d+:?$/, ''),
    }));
  }
  const repeated = repeatedKeys(document).map(({ name, offset }) => ({
    line: lineAt(offset),
    path: '',
    message: `"${name}" is given twice`,
  }));
  if (repeated.length > 0) return repeated;
  try {
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    const pairsOf = pairsByName();
    return { value, lineOf: (path) => lineAt(offsetOf(document.contents as Node | null, path, pairsOf)) };
  } catch (error) {
    // Aliases are refused, because a short text with aliases can be a huge document.
    if (error instanceof ReferenceError)
      return [{ line: 1, path: '', message: 'has aliases, which are not accepted' }];
    throw error;
  }
}

const NESTED_MAX = 1_000;

/**
 * Returns whether a document is nested so deeply that it would keep the library busy for half a minute. Brackets in quotes and
 * comments count, too, which makes no difference for a real file.
 */
function isNestedTooDeeply(text: string): boolean {
  let [brackets, marks] = [0, 0];
  for (const character of text) {
    if (character === '[' || character === '{') brackets += 1;
    else if (character === ']' || character === '}') brackets = Math.max(0, brackets - 1);
    if (character === '-' || character === '?') marks += 1;
    else if (character !== ' ' && character !== '\t') marks = 0;
    if (brackets > NESTED_MAX || marks > NESTED_MAX) return true;
  }
  return false;
}

export const inOrder = (faults: readonly Fault[]): Fault[] =>
  faults.toSorted((one, other) => one.line - other.line);

/** `FILE:12 /points/weight/at must be …` */
export const faultLine = (file: string, { line, path, message }: Fault): string =>
  `${file}:${line} ${path === '' ? '' : `${path} `}${message}`;

function repeatedKeys(document: Document): { name: string; offset: number }[] {
  const found: { name: string; offset: number }[] = [];
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const name = String(key.value);
        if (seen.has(name)) found.push({ name, offset: key.range?.[0] ?? 0 });
        seen.add(name);
      }
    },
  });
  return found;
}

type PairsOf = (map: YAMLMap) => ReadonlyMap<string, Pair>;

/** Returns a function that makes the index of each map once, because a long file may have a fault in each of its lines. */
function pairsByName(): PairsOf {
  const known = new Map<YAMLMap, ReadonlyMap<string, Pair>>();
  return (map) => {
    const pairs =
      known.get(map) ??
      new Map(map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])));
    known.set(map, pairs);
    return pairs;
  };
}

/** Returns the place of a part. A key has its own place, because its value may begin lines below. */
function offsetOf(root: Node | null, path: string, pairsOf: PairsOf): number {
  let offset = root?.range?.[0] ?? 0;
  let node: unknown = root;
  for (const name of path.split('/').slice(1).map(unescapePointer)) {
    if (isMap(node)) {
      const pair = pairsOf(node).get(name);
      if (pair === undefined) return offset;
      offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(name)];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

const unescapePointer = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');
