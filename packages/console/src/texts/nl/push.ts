import type { Texts } from '../en/texts.ts';

export const push: Texts['push'] = {
  title: 'Meldingen op dit apparaat',
  means:
    'Alarmen en beëindigde bewerkingen bereiken dit apparaat ook als de pagina gesloten is. Wat wordt verstuurd is versleuteld; de pushdienst van de browser kan het niet lezen.',
  obstacles: {
    encryption: 'Browsers staan dit alleen met HTTPS toe. Vraag erom bij wie de dienst beheert.',
    install:
      'Zet op een iPhone of iPad deze pagina eerst op het beginscherm (Deel, Zet op beginscherm) en open haar daarvandaan.',
    denied:
      'Deze browser weigert meldingen van deze pagina. Sta ze toe in de instellingen van de browser voor dit adres.',
    browser: 'Deze browser kent geen Web Push.',
    service: 'De pushdienst van de browser is van hieruit niet bereikbaar.',
  },
  turnOn: 'Inschakelen',
  turnOff: 'Uitschakelen',
  isOn: 'Aan: berichten bereiken dit apparaat.',
  isOff: 'Uit: geen bericht bereikt dit apparaat.',
  test: 'Test versturen',
  tested: 'Een test is onderweg naar al uw apparaten.',
  settings: 'Wat te melden',
  severityMin: 'Alarmen vanaf deze ernst',
  facilities: 'Alleen deze bedrijven',
  operations: 'Beëindigde bewerkingen',
  operationsOf: { none: 'Geen', own: 'Die ik heb gestart', all: 'Alle' },
  resolved: 'Ook melden als een alarm voorbij is',
  quietMeans: (zone) =>
    `In de tijd van ${zone}. Bewerkingen die dan eindigen worden niet gemeld; alarmen wachten.`,
  devices: 'Apparaten die berichten ontvangen',
  since: 'Sinds',
  end: 'Beëindigen',
  endOf: (browser) => `Meldingen op ${browser} beëindigen`,
  endMeans: 'Geen bericht bereikt dit apparaat meer.',
  words: {
    over: 'Voorbij',
    severity_raised: 'Ernstiger',
    present_again: 'Opnieuw',
    unshelved: 'Niet meer uitgesteld',
    not_acknowledged: 'Niet bevestigd',
    completed: 'Voltooid',
    stopped: 'Gestopt',
    failed: 'Mislukt',
    several: 'Alarmen',
    test: 'Berichten bereiken dit apparaat.',
  },
};
