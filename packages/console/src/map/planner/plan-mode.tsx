import type { Point } from '@granary/contract/positions';
import { useEffect } from 'preact/hooks';
import type { MapContents } from '../contents.ts';
import { useFieldConfiguration } from '../vehicles/use-field-configuration.ts';
import { legFaults } from './leg-faults.ts';
import { PlannerPanel } from './planner-panel.tsx';
import { usePreflight } from './use-preflight.ts';

interface Props {
  readonly deviceId: string;
  readonly name: string;
  readonly contents: MapContents;
  readonly middle: () => Point;
  readonly onClose: (missionId: string | null) => void;
}

/** The planner; what it finds out is drawn on the map. */
export function PlanMode({ deviceId, name, contents, middle, onClose }: Props) {
  const { draft, faults, base } = contents;
  const configuration = useFieldConfiguration(deviceId).value?.configuration;
  const preflight = usePreflight(deviceId, draft.value);
  const { result } = preflight;
  useEffect(() => {
    faults.value = result === null ? null : legFaults(result);
  }, [result]);
  useEffect(() => {
    const place = configuration?.base ?? null;
    base.value = place === null ? null : { lat: place.latitude, lng: place.longitude };
  }, [configuration]);
  return (
    <PlannerPanel
      deviceId={deviceId}
      name={name}
      draft={draft}
      preflight={preflight}
      middle={middle}
      onClose={onClose}
      faults={result === null ? null : legFaults(result)}
    />
  );
}
