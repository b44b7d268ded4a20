import type { KeyRecord } from '@granary/contract/keys';
import { callOptions, useConsole } from '../../console.ts';
import { texts } from '../../texts/texts.ts';
import { RotationDialog } from '../rotation-dialog.tsx';

const USUAL_OVERLAP_MIN = 60;

interface Props {
  readonly keyRecord: KeyRecord;
  readonly onClose: () => void;
}

export function RotateKey({ keyRecord: { key_id, name }, onClose }: Props) {
  const console = useConsole();
  const { keys } = texts.value;
  return (
    <RotationDialog
      texts={{
        title: keys.rotateOf(name),
        submit: keys.rotate,
        meaning: keys.rotateMeans,
        overlap: keys.overlap,
        issuedTitle: keys.issued(name),
        secret: keys.key,
      }}
      usualOverlap={USUAL_OVERLAP_MIN}
      unitSeconds={60}
      rotate={async (rotation) =>
        (await console.client.keys.rotate(key_id, rotation, callOptions(console))).key
      }
      onClose={onClose}
    />
  );
}
