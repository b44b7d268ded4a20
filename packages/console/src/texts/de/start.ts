import type * as english from '../en/start.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('de');

export const start: typeof english.start = {
  title: 'Erste Schritte',
  notice: 'Alle Geräte hier sind simuliert.',
  noticeMore: 'Eigene anschließen oder die Demo verlassen',
  dismiss: 'Nicht mehr anzeigen',
  historyBeingWritten: (count, of) =>
    plural(of, {
      one: 'Der Verlauf des Geräts wird noch geschrieben.',
      other: `Der Verlauf von ${count} von # Geräten wird noch geschrieben.`,
    }),
  simulated: 'Was simuliert ist',
  none: 'Es gibt keine simulierten Geräte.',
  simulatedCount: (count) =>
    `${count === 1 ? 'Ein Gerät ist simuliert: es hat' : `${count} Geräte sind simuliert: sie haben`} das Merkmal „simulated“. Was sich an ihnen bewegt, ist nicht echt; auch ihre Alarme, Bestellungen und Verläufe sind erfunden.`,
  showThem: 'Simulierte Geräte zeigen',
  own: (count) => plural(count, { one: '# eigenes Gerät.', other: '# eigene Geräte.' }),
  noOwn: 'Es gibt noch kein eigenes Gerät.',
  otherClocks: (service, silos) =>
    `Der Dienst läuft nach der Zeit in ${service}, Ihre Silos nach der in ${silos}. Was zu keinem Silo gehört, und Orte, deren Silos keine Zeitzone nennen, folgen dem Dienst: die Einstellung GRANARY_TIME_ZONE ändert das.`,
  attach: 'Das erste Gerät anschließen',
  needsAdmin:
    'Das kann, wer Geräte verwalten darf; fragen Sie dort nach oder melden Sie sich mit einem solchen Schlüssel an.',
  link: 'Es spricht MQTT oder HTTP',
  linkText:
    'Melden Sie das Gerät an: Benutzername, Geheimnis und eine Zeile, die einen ersten Messwert sendet, werden einmal gezeigt. Über HTTP sendet ein Programm Messwerte mit einem Schlüssel mit dem Recht „ingest“.',
  protocol: 'Das Protokoll',
  bridge: 'Es spricht etwas anderes',
  bridgeText:
    'Eine Brücke liest Geräte anderer Hersteller über Modbus, LoRaWAN, NMEA, MQTT und HTTP. Dieser Befehl sucht Geräte, und die Seite der Brücken fügt sie hinzu:',
  bridgeCommand: 'Geräte suchen',
  csv: 'Es sind viele',
  csvText: 'Eine CSV-Datei mit einem Gerät je Zeile meldet bis zu 10.000 auf einmal an, alle oder keines.',
  leave: 'Die Demo verlassen',
  leaveText:
    'Dieser Befehl entfernt die simulierten Geräte mit allen Aufzeichnungen und keine anderen. Was auf ihnen läuft, wird vorher gestoppt, und die Demo kommt beim nächsten Start nicht zurück. In einer Kopie des Quelltextes beginnt er mit „npx“.',
  leaveCommand: 'Demo entfernen',
};
