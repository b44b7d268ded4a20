import type { DeviceGroup } from '../../profiles/groups.ts';

/** Every path is relative to the root of its group, because settings decide where three of the groups are. */
export type GroupName = 'service' | 'api' | DeviceGroup | 'sandbox';

export interface GroupAddresses {
  readonly siloSegment: string;
  readonly fieldSegment: string;
  readonly sandboxPath: string;
}

export const DEFAULT_ADDRESSES: GroupAddresses = {
  siloSegment: 'siloscale',
  fieldSegment: 'fielddevice',
  sandboxPath: '/sandbox',
};

export type GroupRoots = Readonly<Record<GroupName, string>>;

export const groupRoots = ({ siloSegment, fieldSegment, sandboxPath }: GroupAddresses): GroupRoots => ({
  service: '',
  api: '/v1',
  silo: `/v1/${siloSegment}`,
  field: `/v1/${fieldSegment}`,
  sandbox: sandboxPath,
});

/** The endpoints of the service itself also answer callers without a key. */
export const groupNeedsKey = (group: GroupName): boolean => group !== 'service';
