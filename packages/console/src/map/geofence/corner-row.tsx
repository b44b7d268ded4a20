import type { Signal } from '@preact/signals';
import { Button } from '../../parts/button.tsx';
import { texts } from '../../texts/texts.ts';
import { CoordinateInput } from '../surface/coordinate-input.tsx';
import { type Corner, type FenceDraft, withMovedCorner, withoutCorner } from './fence-draft.ts';

interface Props {
  readonly fence: Signal<FenceDraft | null>;
  readonly corner: Corner;
  readonly index: number;
}

export function CornerRow({ fence, corner, index }: Props) {
  const { map, missions } = texts.value;
  const name = map.corner(index + 1);
  const change = (edit: (draft: FenceDraft) => FenceDraft): void => {
    const draft = fence.peek();
    if (draft !== null) fence.value = edit(draft);
  };
  return (
    <li class="map-corner">
      <span class="number">{index + 1}</span>
      <CoordinateInput
        label={`${name}: ${missions.latitude}`}
        value={corner.lat}
        max={90}
        onChange={(lat) => change((draft) => withMovedCorner(draft, corner.id, { lat, lng: corner.lng }))}
      />
      <CoordinateInput
        label={`${name}: ${missions.longitude}`}
        value={corner.lng}
        max={180}
        onChange={(lng) => change((draft) => withMovedCorner(draft, corner.id, { lat: corner.lat, lng }))}
      />
      <Button
        kind="quiet"
        label={`${name}: ${missions.remove}`}
        onPress={() => change((draft) => withoutCorner(draft, corner.id))}
      >
        ✕
      </Button>
    </li>
  );
}
