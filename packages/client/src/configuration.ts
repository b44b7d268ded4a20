import type {
  FieldConfiguration,
  FieldConfigurationPatch,
} from '@granary/contract/configuration/field-configuration';
import type {
  SiloConfiguration,
  SiloConfigurationPatch,
} from '@granary/contract/configuration/silo-configuration';
import { devicePath, type GroupRoots } from './devices.ts';
import type { Call, Transport } from './transport.ts';

export interface Versioned<Configuration> {
  readonly configuration: Configuration;
  /** Hand it back as `ifMatch` to be refused instead of overwriting somebody else's change. */
  readonly etag: string | null;
}

/** The same questions for silos and for field devices; only the shapes differ. */
export interface ConfigurationGroup<Configuration, Patch> {
  get(deviceId: string): Promise<Versioned<Configuration>>;
  update(
    deviceId: string,
    patch: Patch,
    condition?: { readonly ifMatch?: string },
  ): Promise<Versioned<Configuration>>;
}

export interface ConfigurationClient {
  readonly silo: ConfigurationGroup<SiloConfiguration, SiloConfigurationPatch>;
  readonly field: ConfigurationGroup<FieldConfiguration, FieldConfigurationPatch>;
}

export function configurationClient(transport: Transport, roots: GroupRoots): ConfigurationClient {
  return {
    silo: configurationGroup(transport, roots.silo),
    field: configurationGroup(transport, roots.field),
  };
}

function configurationGroup<Configuration, Patch>(
  transport: Transport,
  root: string,
): ConfigurationGroup<Configuration, Patch> {
  const path = (deviceId: string) => `${devicePath(root, deviceId)}/config`;

  async function versioned(call: Call): Promise<Versioned<Configuration>> {
    const { body, headers } = await transport.exchange<Configuration>(call);
    return { configuration: body.data, etag: headers.get('etag') };
  }

  return {
    get: (deviceId) => versioned({ method: 'GET', path: path(deviceId) }),
    update: (deviceId, patch, { ifMatch } = {}) =>
      versioned({
        method: 'PUT',
        path: path(deviceId),
        body: patch,
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      }),
  };
}
