import type { Note } from '@granary/contract/shifts';
import { useSignal } from '@preact/signals';
import { callOptions, useConsole, useScope } from '../context/console.ts';
import { ConfirmButton, DialogButton, FormDialog } from '../kit/dialog.tsx';
import { bound, TextArea } from '../kit/inputs.tsx';
import { MomentInput } from '../kit/moment-input.tsx';
import { texts } from '../texts.ts';

interface AddProps {
  /** The device or facility of the note. */
  readonly place: { readonly device_id: string } | { readonly facility: string };
  readonly onDone: () => void;
}

/** Writes a note on a device or a facility, about now or another time. */
export function AddNote({ place, onDone }: AddProps) {
  const { shifts } = texts.value;
  if (!useScope('operate')) return null;
  return (
    <DialogButton text={shifts.addNote}>
      {(close) => <NoteForm place={place} onDone={onDone} onClose={close} />}
    </DialogButton>
  );
}

function NoteForm({ place, onDone, onClose }: AddProps & { readonly onClose: () => void }) {
  const console = useConsole();
  const { shifts } = texts.value;
  const text = useSignal('');
  const at = useSignal('');
  return (
    <FormDialog
      title={shifts.addNote}
      submit={shifts.addNote}
      isIncomplete={text.value.trim() === ''}
      onSubmit={async () => {
        const time = at.peek() === '' ? {} : { at: new Date(at.peek()).toISOString() };
        await console.client.shifts.addNote(
          { ...place, ...time, text: text.peek().trim() },
          callOptions(console),
        );
        onDone();
      }}
      onClose={onClose}
    >
      <TextArea label={shifts.note} rows={3} maxLength={2_000} isRequired {...bound(text)} />
      <MomentInput label={shifts.at} hint={shifts.atHint} {...bound(at)} />
    </FormDialog>
  );
}

/** Removes a note; only for the key that wrote it, and for an admin. */
export function RemoveNote({ note, onDone }: { readonly note: Note; readonly onDone: () => void }) {
  const console = useConsole();
  const { shifts } = texts.value;
  const isOwn = note.created_by?.key_id === console.session.key_id;
  const isAdmin = useScope('admin');
  if (!useScope('operate') || !(isOwn || isAdmin)) return null;
  return (
    <ConfirmButton
      text={shifts.remove}
      label={shifts.removeNote}
      means={note.text}
      onConfirm={async () => {
        await console.client.shifts.removeNote(note.note_id, callOptions(console));
        onDone();
      }}
    />
  );
}
