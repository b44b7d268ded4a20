import type * as english from '../en/start.ts';
import { pluralOf } from '../plural.ts';

const plural = pluralOf('pl');

export const start: typeof english.start = {
  title: 'Pierwsze kroki',
  notice: 'Wszystkie urządzenia tutaj są symulowane.',
  noticeMore: 'Podłącz własne albo wyjdź z wersji pokazowej',
  dismiss: 'Nie pokazuj więcej',
  historyBeingWritten: (count, of) => {
    const several = `Historia ${count} z # urządzeń jest jeszcze zapisywana.`;
    return plural(of, {
      one: 'Historia urządzenia jest jeszcze zapisywana.',
      few: several,
      many: several,
      other: several,
    });
  },
  simulated: 'Co jest symulowane',
  none: 'Nie ma symulowanych urządzeń.',
  simulatedCount: (count) =>
    `${count === 1 ? 'Jedno urządzenie jest symulowane: ma' : `Symulowane urządzenia: ${count}. Mają`} etykietę „simulated”. Nic, co się na nich porusza, nie jest prawdziwe; ich alarmy, zamówienia i historie są zmyślone.`,
  showThem: 'Pokaż symulowane urządzenia',
  own: (count) =>
    plural(count, {
      one: '# własne urządzenie.',
      few: '# własne urządzenia.',
      many: '# własnych urządzeń.',
      other: '# własnego urządzenia.',
    }),
  noOwn: 'Nie ma jeszcze własnego urządzenia.',
  otherClocks: (service, silos) =>
    `Usługa działa według czasu strefy ${service}, Państwa silosy według czasu strefy ${silos}. To, co nie należy do żadnego silosu, oraz miejsca, których silosy nie podają strefy czasowej, stosują czas usługi: zmienia to ustawienie GRANARY_TIME_ZONE.`,
  attach: 'Podłącz pierwsze urządzenie',
  needsAdmin:
    'Może to zrobić osoba, która administruje urządzeniami; zapytaj ją albo zaloguj się takim kluczem.',
  link: 'Używa MQTT lub HTTP',
  linkText:
    'Zarejestruj urządzenie: nazwa użytkownika, sekret i polecenie, które wysyła pierwszy odczyt, są pokazywane jeden raz. Przez HTTP program wysyła odczyty kluczem z uprawnieniem „ingest”.',
  protocol: 'Protokół',
  bridge: 'Używa czegoś innego',
  bridgeText:
    'Mostek odczytuje urządzenia innych producentów przez Modbus, LoRaWAN, NMEA, MQTT i HTTP. To polecenie szuka urządzeń, a strona mostków je dodaje:',
  bridgeCommand: 'Szukaj urządzeń',
  csv: 'Jest ich wiele',
  csvText: 'Plik CSV z jednym urządzeniem w wierszu rejestruje do 10 000 naraz, wszystkie albo żadne.',
  leave: 'Wyjdź z wersji pokazowej',
  leaveText:
    'To polecenie usuwa symulowane urządzenia ze wszystkimi zapisami i żadnych innych. To, co na nich działa, jest najpierw zatrzymywane, a wersja pokazowa nie wraca przy następnym uruchomieniu. W kopii repozytorium zacznij od „npx”.',
  leaveCommand: 'Usuń wersję pokazową',
};
