export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads the text format of Prometheus; lines that are not samples are left out. */
export function parseMetrics(text: string): ReadonlyMap<string, readonly Sample[]> {
  const samples = new Map<string, Sample[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const entry = { labels: labelsOf(labels), value: Number(value.replace('Inf', 'Infinity')) };
    samples.set(name, [...(samples.get(name) ?? []), entry]);
  }
  return samples;
}

const labelsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...text.matchAll(LABEL)].map(([, name = '', value = '']) => [name, value]));
