import type { Endpoint } from '@granary/contract/endpoints/declaration/endpoint';
import type { GroupRoots } from '@granary/contract/endpoints/declaration/groups';
import { endpoints } from '@granary/contract/endpoints/endpoints';
import type { Success } from '@granary/contract/envelope';
import { callOf, derive } from './derive.ts';
import type { CallOptions } from './requests/call.ts';
import type { Transport } from './requests/transport.ts';

export interface Versioned<Configuration> {
  readonly configuration: Configuration;
  /** Pass it as `ifMatch`, so that a change of another caller is not overwritten. */
  readonly etag: string | null;
}

/** These two are written by hand, because the version of a configuration is in a header. */
export interface ConfigurationGroup<Configuration, Patch> {
  get(deviceId: string, options?: CallOptions): Promise<Versioned<Configuration>>;
  update(deviceId: string, patch: Patch, options?: CallOptions): Promise<Versioned<Configuration>>;
}

interface ConfigurationEndpoints<Configuration, Patch> {
  readonly get: Endpoint<string, undefined, undefined, Success<Configuration>>;
  readonly update: Endpoint<string, undefined, Patch, Success<Configuration>>;
}

export function configurationClient(transport: Transport, roots: GroupRoots) {
  const group = <Configuration, Patch>({
    get,
    update,
  }: ConfigurationEndpoints<Configuration, Patch>): ConfigurationGroup<Configuration, Patch> => {
    const versioned = async (endpoint: Endpoint, args: readonly unknown[]) => {
      const { body, headers } = await transport.exchange<Configuration>(callOf(endpoint, roots, args));
      return { configuration: body.data, etag: headers.get('etag') };
    };
    return {
      get: (deviceId, options) => versioned(get, [deviceId, options]),
      update: (deviceId, patch, options) => versioned(update, [deviceId, patch, options]),
    };
  };
  const { silo, field } = endpoints.configuration;
  return {
    silo: { ...group(silo), ...derive({ versions: silo.versions }, transport, roots) },
    field: { ...group(field), ...derive({ versions: field.versions }, transport, roots) },
  };
}
