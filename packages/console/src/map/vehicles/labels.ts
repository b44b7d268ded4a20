import type { ScreenPlace } from '../surface/projection.ts';

export interface Label {
  readonly id: string;
  readonly text: string;
  /** The place of the mark that it names. */
  readonly at: ScreenPlace;
}

export interface PlacedLabel extends Label {
  readonly isLeft: boolean;
}

const CHARACTERS_MAX = 26;
/** About the width of a character and the height of a line. */
const CHARACTER_PX = 7;
const LINE_PX = 18;

/** Long names are cut, between characters as a person sees them. */
export function shortened(text: string): string {
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  return characters.length <= CHARACTERS_MAX ? text : `${characters.slice(0, CHARACTERS_MAX - 1).join('')}…`;
}

/**
 * The labels that have room beside their marks: to the right, or to the left where the map ends. Of those that would cover
 * each other the first one stays.
 */
export function labelsWithRoom(labels: readonly Label[], mapWidth: number): PlacedLabel[] {
  const placed: PlacedLabel[] = [];
  for (const label of labels) {
    const one = { ...label, isLeft: label.at.x + widthOf(label) > mapWidth };
    if (placed.every((other) => !overlap(one, other))) placed.push(one);
  }
  return placed;
}

function overlap(one: PlacedLabel, other: PlacedLabel): boolean {
  const [start, otherStart] = [startOf(one), startOf(other)];
  return (
    Math.abs(one.at.y - other.at.y) < LINE_PX &&
    start < otherStart + widthOf(other) &&
    otherStart < start + widthOf(one)
  );
}

const startOf = (label: PlacedLabel): number => (label.isLeft ? label.at.x - widthOf(label) : label.at.x);

const widthOf = ({ text }: Label): number => 24 + text.length * CHARACTER_PX;
