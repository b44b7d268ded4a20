import type { ReportAt } from './file-form.ts';
import type { Example, Expected, Point } from './mapping.ts';
import type { Fields, PlaceForm } from './place-form.ts';
import { evaluatePoints, type PointValue } from './value.ts';
import type { YamlDocument } from './yaml-document.ts';

interface ExampleParts {
  readonly form: PlaceForm<unknown, unknown>;
  readonly points: readonly Point<unknown>[];
  readonly defaults: Fields;
  readonly document: YamlDocument;
  readonly report: ReportAt;
}

/** Reads and runs an example: a mapping that does not give the promised result is refused. */
export function runExample({ gives, note: _, ...given }: Fields, path: string, parts: ExampleParts): Example {
  const { form, points, defaults, document, report } = parts;
  const expected = Object.entries(gives as Readonly<Record<string, number | Expected>>).map(
    ([name, one]) =>
      [name, typeof one === 'number' ? { value: one, quality: 'good' as const } : one] as const,
  );
  const raw = form.rawValues(given, points, defaults);
  const values = new Map(evaluatePoints(points, (name) => raw.get(name)).map((one) => [one.point, one]));
  for (const [name, wanted] of expected) {
    const where = `${path}/gives/${name}`;
    const found = values.get(name);
    if (!points.some((point) => point.name === name)) report(where, 'names no point');
    else if (found === undefined) report(where, 'has no value, because the example lacks what it depends on');
    else for (const told of differences(wanted, found)) report(where, told);
  }
  return { line: document.lineOf(path), given, gives: Object.fromEntries(expected) };
}

/** The relative tolerance of results: a number of 32 bits has seven digits. */
const TOLERANCE = 1e-6;

function differences(wanted: Expected, found: PointValue): string[] {
  const isNear = (one: number, other: number) =>
    Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other));
  return (['value', 'unit', 'quality', 'reason'] as const).flatMap((field) => {
    const [want, got] = [wanted[field], found[field]];
    const isSame =
      want === undefined ||
      want === got ||
      (typeof want === 'number' && typeof got === 'number' && isNear(want, got));
    return isSame ? [] : [`should have the ${field} ${want}, and has ${got}`];
  });
}
