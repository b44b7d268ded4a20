export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Added to the name of the metric, as in `_sum`. */
  readonly suffix?: string;
}

/** One metric in the sense of Prometheus, with its values by labels. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly samples: readonly Sample[];
}

type Values = number | readonly Sample[];

const samplesOf = (values: Values): readonly Sample[] =>
  typeof values === 'number' ? [{ labels: {}, value: values }] : values;

/** The name of a counter ends in `_total`. */
export const counter = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: 'counter',
  samples: samplesOf(values),
});

export const gauge = (name: string, help: string, values: Values): Metric => ({
  name,
  help,
  type: 'gauge',
  samples: samplesOf(values),
});

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** The text format of Prometheus. */
export function exposition(metrics: readonly Metric[]): string {
  let text = '';
  for (const { name, help, type, samples } of metrics) {
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;
    for (const { suffix = '', labels, value } of samples) {
      text += `${name}${suffix}${labelText(labels)} ${value}\n`;
    }
  }
  return text;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
