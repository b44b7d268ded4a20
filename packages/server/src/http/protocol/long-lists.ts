/** Longer lists are written in parts of this many entries. */
export const ENTRIES_PER_PART = 100;

interface Answer {
  readonly data: object;
}

/** Whether the data is a list, or has a list directly in it, that would take long to be written at once. */
export function hasLongList(answer: unknown): answer is Answer {
  const { data } = (answer ?? {}) as Partial<Answer>;
  return typeof data === 'object' && data !== null && (isLong(data) || Object.values(data).some(isLong));
}

/** The answer as JSON, written in parts; the data comes last. */
export async function longListJson(
  { data, ...rest }: Answer,
  nextPart: () => Promise<void>,
): Promise<string> {
  const json = isLong(data) ? await listJson(data, nextPart) : await objectJson(data, nextPart);
  return `${JSON.stringify(rest).slice(0, -1)},"data":${json}}`;
}

async function objectJson(data: object, nextPart: () => Promise<void>): Promise<string> {
  const members: string[] = [];
  for (const [name, value] of Object.entries(data)) {
    const json = isLong(value) ? await listJson(value, nextPart) : JSON.stringify(value);
    if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`);
  }
  return `{${members.join()}}`;
}

async function listJson(list: readonly unknown[], nextPart: () => Promise<void>): Promise<string> {
  const parts: string[] = [];
  for (let start = 0; start < list.length; start += ENTRIES_PER_PART) {
    if (start > 0) await nextPart();
    parts.push(JSON.stringify(list.slice(start, start + ENTRIES_PER_PART)).slice(1, -1));
  }
  return `[${parts.join()}]`;
}

const isLong = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.length > ENTRIES_PER_PART;
