import { type Signal, useSignal } from '@preact/signals';
import { Field, SelectInput } from '../kit/inputs.tsx';
import { texts } from '../texts.ts';
import { type FenceDraft, fenceDraft } from './fence-draft.ts';
import { FENCE_FILE_BYTES_MAX, type FenceFault, type FileFence, fencesOf } from './fence-file.ts';

const readXml = (text: string): Document => new DOMParser().parseFromString(text, 'application/xml');

/** Draws a polygon from a file, which is then saved like one that a person has drawn. */
export function FenceImport({ fence }: { readonly fence: Signal<FenceDraft | null> }) {
  const { map } = texts.value;
  const found = useSignal<readonly FileFence[]>([]);
  const chosen = useSignal('0');
  const fault = useSignal<FenceFault | null>(null);

  function choose(index: string): void {
    chosen.value = index;
    const one = found.peek()[Number(index)];
    fault.value = one?.fault ?? null;
    if (one?.fault === null) fence.value = fenceDraft(one.corners);
  }

  async function read(file: File | undefined): Promise<void> {
    if (file === undefined) return;
    const isTooLarge = file.size > FENCE_FILE_BYTES_MAX;
    const fences = isTooLarge ? 'tooLarge' : fencesOf(await file.text(), readXml);
    found.value = typeof fences === 'string' ? [] : fences;
    if (typeof fences === 'string') fault.value = fences;
    else
      choose(
        String(
          Math.max(
            0,
            fences.findIndex((one) => one.fault === null),
          ),
        ),
      );
  }

  return (
    <>
      <Field
        label={map.fenceFile}
        hint={map.fenceFileHint}
        fault={fault.value === null ? null : map.fenceFaults[fault.value]}
      >
        {(id) => (
          <input
            id={id}
            type="file"
            accept=".geojson,.json,.kml"
            onChange={({ currentTarget: { files } }) => void read(files?.[0])}
          />
        )}
      </Field>
      {found.value.length > 1 && (
        <SelectInput
          label={map.fenceOfFile}
          value={chosen.value}
          onValue={choose}
          options={found.value.map(({ name, corners }, index) => [
            String(index),
            `${name ?? map.fenceNumber({ number: index + 1 })} (${corners.length})`,
          ])}
        />
      )}
    </>
  );
}
