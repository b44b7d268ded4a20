/** Finds the subscriptions for the topic of a message, among thousands of filters; the time depends only on the levels of the topic. */
export class TopicTree<Entry> {
  readonly #root = new Level<Entry>();

  add(filter: string, entry: Entry): void {
    let level = this.#root;
    for (const part of filter.split('/')) level = level.below(part);
    level.entries.push(entry);
  }

  matching(topic: string): Entry[] {
    const found: Entry[] = [];
    collect(this.#root, topic.split('/'), 0, found);
    return found;
  }
}

class Level<Entry> {
  readonly levels = new Map<string, Level<Entry>>();
  readonly entries: Entry[] = [];

  below(part: string): Level<Entry> {
    const known = this.levels.get(part);
    if (known !== undefined) return known;
    const level = new Level<Entry>();
    this.levels.set(part, level);
    return level;
  }
}

function collect<Entry>(level: Level<Entry>, parts: readonly string[], index: number, found: Entry[]): void {
  const rest = level.levels.get('#');
  /** A wildcard at the beginning does not match the topics of the broker itself. */
  const isOfBroker = index === 0 && parts[0]?.startsWith('$') === true;
  if (rest !== undefined && !isOfBroker) found.push(...rest.entries);
  const part = parts[index];
  if (part === undefined) {
    found.push(...level.entries);
    return;
  }
  const named = level.levels.get(part);
  if (named !== undefined) collect(named, parts, index + 1, found);
  const any = level.levels.get('+');
  if (any !== undefined && !isOfBroker) collect(any, parts, index + 1, found);
}
