import type { DeviceCredentials } from '@granary/contract/devices/devices';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useConsole } from '../../context/console.ts';
import { FormDialog } from '../../kit/dialog.tsx';
import { SecretDialog } from '../../kit/secret-dialog.tsx';
import { texts } from '../../texts/texts.ts';
import { publishLine } from './publish-line.ts';

interface Props {
  readonly title: string;
  readonly submit: string;
  /** The title of the dialog with the secret; that of the form unless given. */
  readonly issuedTitle?: string;
  readonly profile: ProfileName;
  /** Does what the form is about; the device gets a new secret by it. */
  readonly issue: () => Promise<DeviceCredentials>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form that gives a device a secret, and then shows it this once, with a command that tries it. */
export function CredentialsForm({ title, submit, issuedTitle, profile, issue, onClose, children }: Props) {
  const { deviceAdmin } = texts.value;
  const { device_link: link } = useConsole().settings;
  const issued = useSignal<DeviceCredentials | null>(null);
  if (issued.value === null) {
    return (
      <FormDialog
        title={title}
        submit={submit}
        staysOpen
        onSubmit={async () => {
          issued.value = await issue();
        }}
        onClose={onClose}
      >
        {children}
      </FormDialog>
    );
  }
  const { username, secret } = issued.value;
  const line = publishLine({ deviceId: username, secret, profile, pageHost: location.hostname, link });
  return (
    <SecretDialog
      title={issuedTitle ?? title}
      secrets={[
        [deviceAdmin.username, username],
        [deviceAdmin.secret, secret],
        [deviceAdmin.tryIt, line],
      ]}
      onClose={onClose}
    >
      {link === null && <p class="muted">{deviceAdmin.portUnknown}</p>}
      {link?.is_encrypted === true && <p class="muted">{deviceAdmin.ownAuthority}</p>}
    </SecretDialog>
  );
}
