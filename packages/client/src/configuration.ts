import type { SiloConfiguration, SiloConfigurationPatch } from '@granary/contract/configuration';
import { devicePath, type GroupRoots } from './devices.ts';
import type { Call, Transport } from './transport.ts';

export interface VersionedConfiguration {
  readonly configuration: SiloConfiguration;
  /** Hand it back as `ifMatch` to be refused instead of overwriting somebody else's change. */
  readonly etag: string | null;
}

export interface ConfigurationClient {
  get(siloId: string): Promise<VersionedConfiguration>;
  update(
    siloId: string,
    patch: SiloConfigurationPatch,
    condition?: { readonly ifMatch?: string },
  ): Promise<VersionedConfiguration>;
}

export function configurationClient(transport: Transport, roots: GroupRoots): ConfigurationClient {
  const path = (siloId: string) => `${devicePath(roots.silo, siloId)}/config`;

  async function versioned(call: Call): Promise<VersionedConfiguration> {
    const { body, headers } = await transport.exchange<SiloConfiguration>(call);
    return { configuration: body.data, etag: headers.get('etag') };
  }

  return {
    get: (siloId) => versioned({ method: 'GET', path: path(siloId) }),
    update: (siloId, patch, { ifMatch } = {}) =>
      versioned({
        method: 'PUT',
        path: path(siloId),
        body: patch,
        headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      }),
  };
}
