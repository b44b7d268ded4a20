import type { Signal } from '@preact/signals';
import { texts } from '../../texts/texts.ts';
import { DragHandle } from '../surface/drag-handle.tsx';
import { pathOf } from '../surface/path.ts';
import { useView } from '../surface/surface-context.ts';
import { type FenceDraft, withMovedCorner, withoutCorner } from './fence-draft.ts';

/** The geofence that is edited, with a handle at each corner. */
export function FenceLayer({ fence }: { readonly fence: Signal<FenceDraft | null> }) {
  const view = useView();
  const { map } = texts.value;
  const draft = fence.value;
  if (draft === null) return null;
  return (
    <g class="map-fence">
      <path d={`${pathOf(draft.corners, view)}z`} />
      {draft.corners.map((corner, index) => (
        <DragHandle
          key={corner.id}
          at={corner}
          kind="corner"
          label={map.corner(index + 1)}
          onMove={(to) => {
            fence.value = withMovedCorner(fence.peek() ?? draft, corner.id, to);
          }}
          onRemove={() => {
            fence.value = withoutCorner(fence.peek() ?? draft, corner.id);
          }}
        >
          <rect class="body" x="-7" y="-7" width="14" height="14" />
        </DragHandle>
      ))}
    </g>
  );
}
