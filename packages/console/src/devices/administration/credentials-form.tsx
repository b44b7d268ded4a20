import type { DeviceCredentials } from '@granary/contract/devices/devices';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { ComponentChildren } from 'preact';
import { useConsole } from '../../context/console.ts';
import { SecretForm } from '../../kit/secret-dialog.tsx';
import { texts } from '../../texts.ts';
import { publishLine } from './publish-line.ts';

interface Props {
  readonly title: string;
  readonly submit: string;
  readonly issuedTitle?: string;
  readonly profile: ProfileName;
  /** Does what the form is for, which gives the device a new secret. */
  readonly issue: () => Promise<DeviceCredentials>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form that gives a device a secret, and then shows the secret this once, with a command that tries it. */
export function CredentialsForm({ profile, issue, ...form }: Props) {
  const { deviceAdmin } = texts.value;
  const { device_link: link } = useConsole().settings;
  return (
    <SecretForm
      issue={async () => {
        const { username, secret } = await issue();
        return [
          [deviceAdmin.username, username],
          [deviceAdmin.secret, secret],
          [
            deviceAdmin.tryIt,
            publishLine({ deviceId: username, secret, profile, pageHost: location.hostname, link }),
          ],
        ];
      }}
      note={
        <>
          {link === null && <p class="muted">{deviceAdmin.portUnknown}</p>}
          {link?.is_encrypted === true && <p class="muted">{deviceAdmin.ownAuthority}</p>}
        </>
      }
      {...form}
    />
  );
}
