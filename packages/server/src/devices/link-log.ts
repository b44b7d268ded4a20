import type { LinkEvent } from '@granary/link/port';
import type { DeviceLog } from './device-log.ts';

/** Writes a link event to the log; a peer without a valid device id is identified by its address. */
export function logLinkEvent(log: DeviceLog, event: LinkEvent): void {
  const { level, text, details } = lineOf(event);
  const fields = { device_id: event.deviceId, remote_address: event.remoteAddress, ...details };
  log[level](event.deviceId ?? event.remoteAddress, fields, text);
}

interface Line {
  readonly level: 'info' | 'warn';
  readonly text: string;
  readonly details: Record<string, unknown>;
}

function lineOf(event: LinkEvent): Line {
  switch (event.kind) {
    case 'connected':
      return {
        level: 'info',
        text: event.isTakeover ? 'device connected and replaced its old connection' : 'device connected',
        details: { session: event.session },
      };
    case 'disconnected':
      return {
        level: 'info',
        text: 'device disconnected',
        details: { ending: event.ending, detail: event.detail },
      };
    case 'second_client':
      return {
        level: 'warn',
        text: 'another client logs in as this device',
        details: { previous_address: event.previousAddress },
      };
    case 'login_refused':
      return { level: 'info', text: 'login on the device link refused', details: { reason: event.reason } };
    case 'subscription_refused':
      return { level: 'info', text: 'subscription refused', details: { reason: event.reason } };
    case 'fault':
      return {
        level: 'warn',
        text: 'connection closed for a fault',
        details: { reason: event.reason, ...('cause' in event ? { err: event.cause } : {}) },
      };
  }
}
