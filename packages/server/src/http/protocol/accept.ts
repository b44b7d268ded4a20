interface Weighed {
  readonly range: string;
  readonly weight: number;
}

/** The first of the offered media types is what callers get that say nothing, want anything, or want something else. */
export function preferredType<T extends string>(
  header: string | undefined,
  offered: readonly [T, ...T[]],
): T {
  const accepted = (header ?? '*/*').split(',').map(weighed);
  const weights = offered.map((type) => weightOf(type, accepted));
  const best = Math.max(...weights);
  if (best <= 0) return offered[0];
  const candidates = offered.filter((_, index) => weights[index] === best);
  const named = accepted.find(({ range }) => (candidates as string[]).includes(range));
  return candidates.find((type) => type === named?.range) ?? candidates[0] ?? offered[0];
}

function weighed(text: string): Weighed {
  const [range = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { range, weight: /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality) ? Number(quality) : 0 };
}

/** The most specific range that covers the type decides, as RFC 9110 says. */
function weightOf(type: string, accepted: readonly Weighed[]): number {
  for (const range of [type, `${type.split('/', 1)[0]}/*`, '*/*']) {
    const found = accepted.find((one) => one.range === range);
    if (found !== undefined) return found.weight;
  }
  return 0;
}
