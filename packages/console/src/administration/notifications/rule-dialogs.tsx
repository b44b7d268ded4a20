import type { NotificationRule } from '@granary/contract/notifications';
import { callOptions, useConsole } from '../../console.ts';
import { FormDialog } from '../../parts/forms/form-dialog.tsx';
import { texts } from '../../texts/texts.ts';

interface Props {
  readonly rule: NotificationRule;
  readonly onClose: () => void;
}

export function TestRule({ rule: { rule_id, name }, onClose }: Props) {
  const console = useConsole();
  const { notifications, webhooks } = texts.value;
  return (
    <FormDialog
      title={notifications.testOf(name)}
      submit={webhooks.test}
      onSubmit={() => console.client.notifications.testRule(rule_id, callOptions(console))}
      onClose={onClose}
    >
      <p>{notifications.testMeans}</p>
    </FormDialog>
  );
}

export function RemoveRule({ rule: { rule_id, name }, onClose }: Props) {
  const console = useConsole();
  const { notifications, forms } = texts.value;
  return (
    <FormDialog
      title={notifications.removeOf(name)}
      submit={forms.remove}
      onSubmit={() => console.client.notifications.removeRule(rule_id, callOptions(console))}
      onClose={onClose}
    >
      <p>{notifications.removeMeans}</p>
    </FormDialog>
  );
}
