import type { Texts } from '../en/texts.ts';

/** What helps against a refusal, by the code of its sentence, else by its error code. */
export const cures: Texts['cures'] = {
  device_is_offline: 'Prüfen Sie Strom und Netz; sobald es wieder online ist, kann es starten.',
  device_is_silent: 'Starten Sie das Gerät neu. Bleibt es still, prüfen Sie den Sensor und sein Kabel.',
  device_not_listening: 'Verbinden Sie es über MQTT; die Einstellungen stehen unter „Verbindung“.',
  device_is_maintained: 'Beenden Sie die Wartung, wenn niemand mehr daran arbeitet.',
  weight_never_reported: 'Prüfen Sie, ob die Waage angeschlossen ist; das erste Gewicht genügt.',
  weight_is_old: 'Warten Sie auf das nächste Gewicht. Kommt keines, prüfen Sie Waage und Verbindung.',
  weight_not_true:
    'Sehen Sie in das Silo, dann prüfen Sie die Waage, ihr Kabel und das eingetragene Fassungsvermögen.',
  weight_before_last_end: 'Warten Sie auf das nächste Gewicht; es kommt in Sekunden.',
  rate_too_high:
    'Geben Sie eine kleinere Leistung ein, oder lassen Sie die Grenze in der Konfiguration erhöhen.',
  rate_too_low: 'Geben Sie eine größere Leistung oder eine kleinere Menge ein.',
  amount_too_small: 'Geben Sie eine größere Menge ein.',
  no_room: 'Geben Sie eine kleinere Menge ein, oder entnehmen Sie zuerst etwas.',
  no_stock: 'Geben Sie eine kleinere Menge ein, oder lassen Sie das Silo zuerst füllen.',
  stop_in_force:
    'Sehen Sie nach, dass niemand in der Nähe ist, dann geben Sie den Not-Halt auf seiner Seite frei.',
  target_outside_fence: 'Wählen Sie einen Ort innerhalb des Geofence, oder ändern Sie ihn auf der Karte.',
  waypoint_outside_fence: 'Ziehen Sie ihn in den Geofence, oder ändern Sie diesen auf der Karte.',
  waypoints_outside_fence: 'Ziehen Sie sie in den Geofence, oder ändern Sie diesen auf der Karte.',
  waypoint_not_reachable:
    'Fügen Sie einen Wegpunkt ein, der außen herum führt, oder ändern Sie den Geofence.',
  battery_not_enough: 'Laden Sie es zuerst, oder planen Sie einen kürzeren Weg.',
  mission_at_that_time: 'Wählen Sie eine andere Zeit, oder brechen Sie die andere Mission ab.',
  missions_ahead: 'Warten Sie, bis eine beendet ist, oder brechen Sie eine ab.',
  start_in_the_past: 'Wählen Sie eine spätere Zeit, oder starten Sie jetzt.',
  start_too_far_ahead: 'Wählen Sie eine frühere Zeit.',
  reading_is_old: 'Warten Sie auf seine nächste Meldung. Kommt keine, prüfen Sie Strom und Verbindung.',
  reading_missing: 'Warten Sie auf seine erste Meldung. Kommt keine, prüfen Sie Strom und Verbindung.',
  commands_to_answer: 'Warten Sie, bis es geantwortet hat. Ein Not-Halt wird immer gesendet.',
  unauthorized: 'Melden Sie sich neu an.',
  forbidden:
    'Melden Sie sich mit einem Schlüssel an, der das darf, oder bitten Sie darum, wer sie verwaltet.',
  device_offline: 'Prüfen Sie Strom und Netz, dann versuchen Sie es noch einmal.',
  device_in_maintenance: 'Beenden Sie die Wartung, wenn niemand mehr daran arbeitet.',
  device_removed: 'Stellen Sie das Gerät unter Verwaltung, Geräte wieder her.',
  stale_version: 'Laden Sie die Seite neu, dann ändern Sie es noch einmal.',
  start_expired: 'Starten Sie noch einmal; der Auftrag kam zu spät beim Gerät an.',
  rate_limited: 'Warten Sie einen Augenblick, dann versuchen Sie es noch einmal.',
  too_many_failed_logins: 'Warten Sie einige Minuten, dann versuchen Sie es mit dem richtigen Schlüssel.',
  too_many_connections: 'Schließen Sie Fenster, die niemand braucht, dann versuchen Sie es noch einmal.',
  service_stopping: 'Er startet bald neu; versuchen Sie es in einer Minute noch einmal.',
  storage_unavailable:
    'Versuchen Sie es in einer Minute noch einmal. Bleibt es so, sagen Sie es denen, die den Dienst betreiben.',
  storage_full: 'Sagen Sie denen, die den Dienst betreiben: Sein Speicher ist voll.',
  ingest_busy: 'Warten Sie einen Augenblick, dann versuchen Sie es noch einmal.',
  broker_unavailable:
    'Geräte sind jetzt nicht erreichbar. Versuchen Sie es in einer Minute noch einmal, und halten Sie am Gerät an.',
  internal_error:
    'Versuchen Sie es noch einmal. Geschieht es wieder, sagen Sie es denen, die den Dienst betreiben.',
  report_schedule_limit_reached: 'Entfernen Sie einen Berichtsplan, den niemand braucht.',
  view_limit_reached: 'Entfernen Sie eine Ansicht, die niemand braucht.',
  alarm_help_limit_reached: 'Entfernen Sie einen Text, den niemand braucht.',
  notification_rule_limit_reached: 'Entfernen Sie eine Regel, die niemand braucht.',
  webhook_limit_reached: 'Entfernen Sie einen Webhook, den niemand braucht.',
  terminal_limit_reached: 'Beenden Sie ein Terminal, das niemand braucht.',
  webhook_disabled: 'Schalten Sie ihn zuerst ein.',
  webhook_target_refused: 'Geben Sie eine Adresse ein, die aus dem Internet erreichbar ist.',
  bridge_not_answering:
    'Sehen Sie nach, ob die Bridge läuft und diesen Dienst erreicht, dann versuchen Sie es noch einmal.',
  bridge_limit_reached: 'Warten Sie, bis sie erledigt hat, worum sie vorher gebeten wurde.',
  export_limit_reached: 'Warten Sie, bis ein anderer Export fertig ist.',
};
