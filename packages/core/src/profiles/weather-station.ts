import type {
  WeatherStationConfiguration,
  WeatherStationConfigurationPatch,
} from '@granary/contract/configuration/weather-station-configuration';
import { DEFAULT_MONITORING, patchMonitoring } from '../alerts/monitoring.ts';
import { deviceOffline, maintenanceDue } from '../alerts/rules/device-rules.ts';
import { sensorFault, sensorStale } from '../alerts/rules/sensor-rules.ts';
import { initialMaintenance, patchMaintenance } from '../configuration/rule-checks.ts';
import type { DeviceProfile } from './profile.ts';

export const weatherStation: DeviceProfile<WeatherStationConfiguration, WeatherStationConfigurationPatch> = {
  initialConfiguration: (nowMs) => ({ maintenance: initialMaintenance(nowMs), ...DEFAULT_MONITORING }),
  patchConfiguration: (current, patch) => ({
    maintenance: patchMaintenance(current.maintenance, patch.maintenance),
    ...patchMonitoring(current, patch),
  }),
  conditionsOf: (facts, nowMs) => [
    sensorStale(facts, nowMs),
    sensorFault(facts, nowMs),
    deviceOffline(facts, null, nowMs),
    maintenanceDue(facts.configuration.maintenance, nowMs),
  ],
  timesMs: () => [],
  valueConditions: () => [],
};
