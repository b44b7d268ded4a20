import type { AccessLimits, DeviceSelection } from '@granary/app/conditions';
import type { DeviceOfRow } from '@granary/app/list-rows';
import type { FastifyRequest } from 'fastify';

interface SelectionQuery {
  readonly facility?: string;
  readonly zone?: string;
  readonly device_id?: string;
}

export const limitsOf = ({ caller: { facilities, deviceIds } }: FastifyRequest): AccessLimits => ({
  facilities,
  deviceIds,
});

/** The devices that the query asks for and that the key may access. */
export const selectionOf = (request: FastifyRequest, query: SelectionQuery): DeviceSelection => ({
  limits: limitsOf(request),
  facility: query.facility ?? null,
  zone: query.zone ?? null,
  deviceId: query.device_id ?? null,
});

/** The device of a record in a list of all devices. */
export const deviceOfRecord = ({ deviceId, deviceName, facility, zone }: DeviceOfRow) => ({
  device_id: deviceId,
  device_name: deviceName,
  location: { facility, zone },
});
