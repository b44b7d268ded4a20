import { DAY_MS, SECOND_MS } from '@granary/contract/time';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { texts } from '../texts.ts';
import { Button } from './button.tsx';
import { Dialog, FormDialog } from './dialog.tsx';
import { bound } from './inputs.tsx';
import { NumberInput } from './number-input.tsx';
import { QrCode } from './qr-code.tsx';

const OVERLAP_DAYS_MAX = 30;

/** Shows a text that is used elsewhere, with a button that copies it. */
export function CopyText({ label, text }: { readonly label: string; readonly text: string }) {
  const { forms } = texts.value;
  const state = useSignal<'ready' | 'copied' | 'selected'>('ready');
  const place = useRef<HTMLElement>(null);

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      state.value = 'copied';
    } catch {
      // A browser offers the clipboard only to pages with TLS, so the text is selected and the person can copy it.
      if (place.current !== null) getSelection()?.selectAllChildren(place.current);
      state.value = 'selected';
    }
  }

  return (
    <div class="copy-text">
      <h3>{label}</h3>
      <div>
        <code ref={place}>{text}</code>
        <Button label={`${forms.copy}: ${label}`} onPress={() => void copy()}>
          {forms.copy}
        </Button>
      </div>
      <p class="muted hint" role="status">
        {state.value === 'ready' ? '' : forms[state.value]}
      </p>
    </div>
  );
}

type Secret = readonly [label: string, text: string];

interface SecretFormProps {
  readonly title: string;
  readonly submit: string;
  /** The title of the dialog with the secrets; that of the form unless given. */
  readonly issuedTitle?: string;
  /** Does what the form is for, and returns the secrets that are shown this once; if there are none, the form closes. */
  readonly issue: () => Promise<readonly Secret[]>;
  /** The text below the secrets. */
  readonly note?: ComponentChildren;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form that issues secrets, and then shows them this once. */
export function SecretForm(props: SecretFormProps) {
  const { title, submit, issuedTitle = title, issue, note, onClose, children } = props;
  const { forms } = texts.value;
  const issued = useSignal<readonly Secret[]>([]);
  if (issued.value.length === 0) {
    return (
      <FormDialog
        title={title}
        submit={submit}
        staysOpen
        onSubmit={async () => {
          issued.value = await issue();
          if (issued.peek().length === 0) onClose();
        }}
        onClose={onClose}
      >
        {children}
      </FormDialog>
    );
  }
  return (
    <Dialog title={issuedTitle} question={forms.isKept} onClose={onClose}>
      <p>
        <strong>{forms.shownOnce}</strong>
      </p>
      {issued.value.map(([label, text]) => (
        <CopyText key={label} label={label} text={text} />
      ))}
      {note}
      <div class="dialog-actions">
        <Button kind="primary" onPress={onClose}>
          {forms.done}
        </Button>
      </div>
    </Dialog>
  );
}

interface IssuedLink {
  /** The part of the address after `#`, which no browser sends, so that no log contains the code in it. */
  readonly fragment: string;
  readonly note: ComponentChildren;
}

interface LinkFormProps extends Omit<SecretFormProps, 'issue' | 'note'> {
  readonly link: string;
  readonly qrCode: string;
  readonly issue: () => Promise<IssuedLink>;
}

/** A form that issues a link to this page, and then shows the link this once, also for a camera. */
export function LinkForm({ link, qrCode, issue, ...form }: LinkFormProps) {
  const issued = useSignal({ address: '', note: null as ComponentChildren });
  return (
    <SecretForm
      {...form}
      issue={async () => {
        const { fragment, note } = await issue();
        issued.value = { address: `${location.origin}/#${fragment}`, note };
        return [[link, issued.peek().address]];
      }}
      note={
        <>
          <QrCode text={issued.value.address} label={qrCode} />
          {issued.value.note}
        </>
      }
    />
  );
}

interface RotationDialogProps {
  readonly texts: {
    readonly title: string;
    readonly submit: string;
    readonly meaning: string;
    readonly overlap: string;
    readonly issuedTitle: string;
    readonly secret: string;
  };
  /** How long the old secret stays valid unless the person changes this, in the unit that the text of the field names. */
  readonly usualOverlap: number;
  readonly unitSeconds: number;
  /** Returns the new secret, which is shown once. */
  readonly rotate: (rotation: { readonly overlap_seconds: number }) => Promise<string>;
  readonly onClose: () => void;
}

/** Replaces a secret; the old one stays valid for a time, so that its users can change over. */
export function RotationDialog({ texts, usualOverlap, unitSeconds, rotate, onClose }: RotationDialogProps) {
  const overlap = useSignal(String(usualOverlap));
  return (
    <SecretForm
      title={texts.title}
      submit={texts.submit}
      issuedTitle={texts.issuedTitle}
      issue={async () => {
        const overlap_seconds = Math.round(Number(overlap.peek()) * unitSeconds);
        return [[texts.secret, await rotate({ overlap_seconds })]];
      }}
      onClose={onClose}
    >
      <p>{texts.meaning}</p>
      <NumberInput
        label={texts.overlap}
        max={(OVERLAP_DAYS_MAX * DAY_MS) / SECOND_MS / unitSeconds}
        isRequired
        {...bound(overlap)}
      />
    </SecretForm>
  );
}
