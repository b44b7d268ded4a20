/** The place at which Debian installs the script of rtl_433 that announces its devices to Home Assistant. */
export const RTL_433_DISCOVERY = '/usr/share/doc/rtl-433/examples/rtl_433_mqtt_hass.py';
