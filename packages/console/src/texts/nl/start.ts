import type * as english from '../en/start.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('nl');

export const start: typeof english.start = {
  title: 'Eerste stappen',
  notice: 'Alle apparaten hier zijn gesimuleerd.',
  noticeMore: 'Sluit eigen apparaten aan of verlaat de demo',
  dismiss: 'Niet meer tonen',
  historyBeingWritten: (count, of) =>
    plural(of, {
      one: 'De geschiedenis van het apparaat wordt nog geschreven.',
      other: `De geschiedenis van ${count} van de # apparaten wordt nog geschreven.`,
    }),
  simulated: 'Wat gesimuleerd is',
  none: 'Er zijn geen gesimuleerde apparaten.',
  simulatedCount: (count) =>
    `${count === 1 ? 'Eén apparaat is gesimuleerd: het heeft' : `${count} apparaten zijn gesimuleerd: ze hebben`} het etiket ‘simulated’. Niets wat daarop beweegt is echt; hun alarmen, bestellingen en geschiedenis zijn verzonnen.`,
  showThem: 'Gesimuleerde apparaten tonen',
  own: (count) => plural(count, { one: '# eigen apparaat.', other: '# eigen apparaten.' }),
  noOwn: 'Er is nog geen eigen apparaat.',
  otherClocks: (service, silos) =>
    `De dienst volgt de tijd van ${service}, uw silo’s die van ${silos}. Wat bij geen silo hoort, en plaatsen waarvan de silo’s geen tijdzone noemen, volgen de dienst: de instelling GRANARY_TIME_ZONE verandert dat.`,
  attach: 'Het eerste apparaat aansluiten',
  needsAdmin: 'Dat kan wie apparaten mag beheren; vraag het daar, of meld u aan met zo’n sleutel.',
  link: 'Het spreekt MQTT of HTTP',
  linkText:
    'Registreer het apparaat: de gebruikersnaam, het geheim en een regel die een eerste meting verstuurt worden één keer getoond. Via HTTP verstuurt een programma metingen met een sleutel met het recht ‘ingest’.',
  protocol: 'Het protocol',
  bridge: 'Het spreekt iets anders',
  bridgeText:
    'Een brug leest apparaten van andere makers via Modbus, LoRaWAN, NMEA, MQTT en HTTP. Deze opdracht zoekt apparaten, en de pagina van de bruggen voegt ze toe:',
  bridgeCommand: 'Apparaten zoeken',
  csv: 'Het zijn er veel',
  csvText: 'Een CSV-bestand met één apparaat per regel registreert er tot 10.000 tegelijk, allemaal of geen.',
  leave: 'De demo verlaten',
  leaveText:
    'Deze opdracht verwijdert de gesimuleerde apparaten met al hun gegevens, en geen andere. Wat daarop loopt wordt eerst gestopt, en de demo komt bij de volgende start niet terug. Begin in een kopie van de broncode met ‘npx’.',
  leaveCommand: 'Demo verwijderen',
};
