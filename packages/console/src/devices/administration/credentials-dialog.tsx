import type { DeviceCredentials } from '@granary/contract/devices/devices';
import type { ProfileName } from '@granary/contract/profiles/profiles';
import { useConsole } from '../../context/console.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { CopyText } from '../../kit/secret-dialog.tsx';
import { texts } from '../../texts/texts.ts';
import { publishLine } from './publish-line.ts';

interface Props {
  readonly title: string;
  readonly credentials: DeviceCredentials;
  readonly profile: ProfileName;
  readonly onClose: () => void;
}

/** The secret of a device, shown this once, with a command that tries it. */
export function CredentialsDialog({ title, credentials: { username, secret }, profile, onClose }: Props) {
  const { deviceAdmin, forms } = texts.value;
  const { device_link: link } = useConsole().settings;
  const line = publishLine({ deviceId: username, secret, profile, pageHost: location.hostname, link });
  return (
    <Dialog title={title} question={forms.isKept} onClose={onClose}>
      <p>
        <strong>{forms.shownOnce}</strong>
      </p>
      <CopyText label={deviceAdmin.username} text={username} />
      <CopyText label={deviceAdmin.secret} text={secret} />
      <CopyText label={deviceAdmin.tryIt} text={line} />
      {link === null && <p class="muted">{deviceAdmin.portUnknown}</p>}
      {link?.is_encrypted === true && <p class="muted">{deviceAdmin.ownAuthority}</p>}
      <div class="dialog-actions">
        <Button kind="primary" onPress={onClose}>
          {forms.done}
        </Button>
      </div>
    </Dialog>
  );
}
