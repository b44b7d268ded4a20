/**
 * The templates of Home Assistant that can be turned into a pointer: a path of `value_json`, or `value`, and the filters
 * `float`, `int` and `round`. Every other template is refused, because a wrong interpretation could make a wrong value look
 * right.
 */
export interface UnderstoodTemplate {
  /** A JSON pointer into the message, or `null` for its whole text. */
  readonly pointer: string | null;
  /** The number of digits after the decimal point. */
  readonly decimals: number | null;
}

const TEMPLATE_LENGTH_MAX = 300;
const BRACES = /^\s*\{\{-?\s*(.*?)\s*-?\}\}\s*$/s;
const PATH_STEP =
  /^(?:\.([A-Za-z_][A-Za-z0-9_]*)|\[\s*'([^'\\\]]+)'\s*\]|\[\s*"([^"\\\]]+)"\s*\]|\[\s*([0-9]{1,4})\s*\])/;
const FILTER = /^\s*\|\s*(?:(float|int)(?:\s*\(\s*(?:0|0\.0)?\s*\))?|round(?:\s*\(\s*([0-9])\s*\))?)/;
const ROUND_WITHOUT_DIGITS = 0;

/** Parses a template; returns `null` if it is not understood. */
export function understandTemplate(template: string): UnderstoodTemplate | null {
  if (template.length > TEMPLATE_LENGTH_MAX) return null;
  const expression = BRACES.exec(template)?.[1];
  if (expression === undefined) return null;
  const source = /^(value_json|value)(?![A-Za-z0-9_])/.exec(expression)?.[1];
  if (source === undefined) return null;
  let rest = expression.slice(source.length);
  const steps: string[] = [];
  for (let step = PATH_STEP.exec(rest); step !== null; step = PATH_STEP.exec(rest)) {
    steps.push(step[1] ?? step[2] ?? step[3] ?? step[4] ?? '');
    rest = rest.slice(step[0].length);
  }
  if (source === 'value' && steps.length > 0) return null;
  let decimals: number | null = null;
  for (let filter = FILTER.exec(rest); filter !== null; filter = FILTER.exec(rest)) {
    if (filter[1] === 'int') decimals = 0;
    else if (filter[1] === undefined) decimals = Number(filter[2] ?? ROUND_WITHOUT_DIGITS);
    rest = rest.slice(filter[0].length);
  }
  if (rest.trim() !== '') return null;
  return { pointer: source === 'value' ? null : pointerOf(steps), decimals };
}

const pointerOf = (steps: readonly string[]): string =>
  steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
