import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ByDevice } from './by-device.ts';
import type { Details } from './details.ts';

/** What the tiles of the overview share. */
export interface OverviewFacts {
  readonly byDevice: ByDevice;
  readonly details: Details;
}

export const OverviewContext = createContext<OverviewFacts | null>(null);

export function useOverviewFacts(): OverviewFacts {
  const facts = useContext(OverviewContext);
  if (facts === null) throw new Error('a tile outside the overview');
  return facts;
}
