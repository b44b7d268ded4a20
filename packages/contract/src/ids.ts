import type { ListRule } from './input/schema.ts';
import { checker } from './input/schema.ts';
import { id } from './input/text-schemas.ts';

export const DeviceId = id();
/** The ids that this service makes begin with `op_`; an operation that was started at the device may have any id of this form. */
export const OperationId = id();
export const CommandId = id();
export const MissionId = id();

export const checkDeviceId = checker(DeviceId);

export const DEVICE_ID_LIST: ListRule = {
  field: 'device_id',
  isEntry: (entry) => checkDeviceId.accepts(entry),
  entries: 'device ids',
};
